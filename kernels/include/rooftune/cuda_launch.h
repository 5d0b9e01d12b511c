// The launching half of a cuda.cu: launches, and memory on the card. Included by rooftune/gpu.h.
// The caller passes to a launch what converts to the kernel's parameters.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "rooftune/cuda_device.h"
#include "rooftune/portable.h"

namespace rooftune {

template <class... P>
constexpr std::tuple<std::remove_const_t<P>...> parameters_of(void (*)(P...));

template <auto Kernel, class Values, std::size_t... I>
void run_thread(void** arguments, std::index_sequence<I...>) {
  Kernel(*static_cast<std::tuple_element_t<I, Values>*>(arguments[I])...);
}

/// Launches Kernel, whose name in the cubin is `name`. Use ROOFTUNE_LAUNCH.
template <auto Kernel, class... A>
void launch(const char* name, CudaSize grid, CudaSize block, std::int64_t shared_bytes,
            A... arguments) {
  using Values = decltype(parameters_of(Kernel));
  static_assert(std::tuple_size_v<Values> == sizeof...(A), "as many arguments as parameters");
  using Indices = std::make_index_sequence<sizeof...(A)>;
  Values values(static_cast<A&&>(arguments)...);
  std::apply(
      [&](auto&... value) {
        void* pointers[sizeof...(A) + 1] = {static_cast<void*>(&value)..., nullptr};
        static constexpr unsigned sizes[] = {sizeof(value)..., 0};
        cuda->launch({name, grid, block, shared_bytes, pointers,
                      [](void** from) { run_thread<Kernel, Values>(from, Indices()); }, sizes});
      },
      values);
}

/// ROOFTUNE_LAUNCH(kernel, grid, block, bytes of dynamic shared memory, arguments ...)
#define ROOFTUNE_LAUNCH(kernel, grid, block, shared_bytes, ...) \
  rooftune::launch<kernel>(#kernel, grid, block, shared_bytes, __VA_ARGS__)

/// An array in the memory of the card; kept in file-scope state, reserved in <function>_prepare.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  /// At least `count` elements; what they held is lost when it must grow.
  T* reserve(Int64 count) {
    if (is_own_ && lifetime_ == cuda->lifetime && count <= count_) return start_;
    drop();
    is_own_ = true;
    lifetime_ = cuda->lifetime;
    start_ = static_cast<T*>(cuda->allocate(count * Int64{sizeof(T)}));
    count_ = count;
    return start_;
  }
  /// Reserves, and copies from the caller's array.
  T* copy_in(const T* host, Int64 count) {
    reserve(count);
    if (count > 0) cuda->upload(start_, host, count * Int64{sizeof(T)});
    return start_;
  }
  /// Reserves, and sets to zero.
  T* zeroed(Int64 count) {
    reserve(count);
    if (count > 0) cuda->clear(start_, count * Int64{sizeof(T)});
    return start_;
  }
  /// For an array that calls read, or change in place: the caller's own where it lies on the card
  /// as it would be allocated there, else a copy of it.
  T* use_in(const T* array, Int64 count) {
    return is_usable(array) ? borrow(const_cast<T*>(array)) : copy_in(array, count);
  }
  /// For an array that calls write and copy_out() brings back: the caller's own, or memory for it.
  T* use_out(T* array, Int64 count) { return is_usable(array) ? borrow(array) : reserve(count); }
  /// Copies to the caller's array: in <function>_finish.
  void copy_out(T* host, Int64 count) const {
    if (count > 0 && host != start_) cuda->download(host, start_, count * Int64{sizeof(T)});
  }
  T* data() const { return start_; }

 private:
  /// Vector loads count on the alignment of allocations.
  static bool is_usable(const T* array) {
    return cuda->is_on_card(array) && reinterpret_cast<std::uintptr_t>(array) % 256 == 0;
  }
  T* borrow(T* array) {
    drop();
    is_own_ = false;
    return start_ = array;
  }
  void drop() {
    if (is_own_ && start_ && lifetime_ == cuda->lifetime) cuda->release(start_);
    start_ = nullptr;
    count_ = 0;
  }

  T* start_ = nullptr;
  Int64 count_ = 0;
  bool is_own_ = true;
  unsigned lifetime_ = 0;
};

/// Blocks of `size` items that cover `count`.
constexpr Int64 blocks_for(Int64 count, Int64 size) { return (count + size - 1) / size; }

/// Blocks that fill the card once: what a persistent grid starts.
template <auto Kernel>
Int64 persistent_blocks(const char* name, int threads, std::int64_t shared_bytes) {
  return Int64{cuda->properties().multiprocessors} *
         cuda->resident_blocks(name, threads, shared_bytes);
}
#define ROOFTUNE_PERSISTENT_BLOCKS(kernel, threads, shared_bytes) \
  rooftune::persistent_blocks<kernel>(#kernel, threads, shared_bytes)

}  // namespace rooftune
