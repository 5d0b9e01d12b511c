// What an exported library of CUDA kernels is made of: its kernels, compiled for the card that is
// there, and the device that the launching half of a variant sees.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "rooftune/library_choice.h"
#include "rooftune/library_driver.h"
#include "rooftune/library_nvrtc.h"

namespace rooftune_cuda_library {

/// The kernels of a variant in one context.
struct Module {
  void* handle = nullptr;
  struct Function {
    std::string name;
    void* handle = nullptr;
    std::int64_t shared_bytes = 0;  ///< dynamic, that launches may have
    int carveout = -1;              ///< per cent; -1: the driver's choice
  };
  std::vector<Function> functions;
};

/// The kernels of a variant: compiled once for each kind of card, loaded once in each context, and
/// kept. The caller sees to it that one thread asks at a time.
class Kernels {
 public:
  Kernels(const char* source, std::vector<std::string> options)
      : source_(source), options_(std::move(options)) {}

  Module& in(const Card& card) {
    Module& module = modules_[{card.context, card.id}];
    if (module.handle) return module;
    std::string& image = images_[card.capability];
    if (image.empty()) image = compiled_for(card.capability, source_, options_);
    const Driver& cuda = Driver::get();
    cuda.check(cuda.ModuleLoadData(&module.handle, image.data()), "the kernels cannot be loaded");
    return module;
  }

 private:
  const char* source_;
  std::vector<std::string> options_;
  std::map<int, std::string> images_;
  std::map<std::pair<void*, unsigned long long>, Module> modules_;
};

/// Host copies of arrays on the card, for a launching half that reads them itself.
class Mirrors {
 public:
  /// The array itself where it lies on the host.
  template <class T>
  T* of(T* array, bool written, void* stream) {
    if (!is_on_card(array)) return array;
    for (const Mirror& one : all_)
      if (one.array == address(array)) return reinterpret_cast<T*>(one.bytes->data());
    const Driver& cuda = Driver::get();
    Driver::Address base = 0;
    std::size_t size = 0;
    cuda.check(cuda.MemGetAddressRange(&base, &size, address(array)), "the size of an array");
    size -= address(array) - base;
    all_.push_back({address(array), std::make_unique<std::vector<char>>(size), written});
    char* const copy = all_.back().bytes->data();
    cuda.check(cuda.MemcpyAsync(address(copy), address(array), size, stream), "copy to the host");
    cuda.check(cuda.StreamSynchronize(stream), "copy to the host");
    return reinterpret_cast<T*>(copy);
  }
  void bring_back(void* stream) const {
    const Driver& cuda = Driver::get();
    for (const Mirror& one : all_) {
      if (!one.written) continue;
      cuda.check(cuda.MemcpyAsync(one.array, address(one.bytes->data()), one.bytes->size(), stream),
                 "copy to the card");
      cuda.check(cuda.StreamSynchronize(stream), "copy to the card");
    }
  }

 private:
  struct Mirror {
    Driver::Address array;
    std::unique_ptr<std::vector<char>> bytes;
    bool written;
  };
  std::vector<Mirror> all_;
};

/// One prepared problem on its card.
class Session {
 public:
  Session(const Card& card, Module& module) : card_(card), module_(module) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    void* before = nullptr;
    cuda_.CtxGetCurrent(&before);
    if (before != card_.context && cuda_.CtxSetCurrent(card_.context) != 0) return;
    for (const Driver::Address start : memory_) cuda_.MemFree(start);
    if (before != card_.context) cuda_.CtxSetCurrent(before);
  }

  /// What follows is for this stream. Throws Fault in another context.
  void use(void* stream) {
    void* context = nullptr;
    cuda_.check(cuda_.CtxGetCurrent(&context), "the current context");
    if (!context) cuda_.check(cuda_.CtxSetCurrent(card_.context), "the context cannot be used");
    if (context && context != card_.context)
      throw Fault{Fault::misused, "the problem was prepared in another context"};
    stream_ = stream;
  }
  const Card& card() const { return card_; }

  void* allocate(std::int64_t bytes) {
    Driver::Address start = 0;
    // Empty arrays have an address too.
    cuda_.check(cuda_.MemAlloc(&start, static_cast<std::size_t>(bytes > 0 ? bytes : 1)),
                std::to_string(bytes) + " bytes of device memory");
    memory_.push_back(start);
    return reinterpret_cast<void*>(start);
  }
  void release(const void* start) noexcept {
    const auto found = std::find(memory_.begin(), memory_.end(), address(start));
    if (found == memory_.end()) return;
    cuda_.MemFree(*found);
    memory_.erase(found);
  }
  /// From and to the card or the host, whichever they are.
  void copy(void* to, const void* from, std::int64_t bytes) {
    cuda_.check(
        cuda_.MemcpyAsync(address(to), address(from), static_cast<std::size_t>(bytes), stream_),
        "copy of an array");
    if (!is_on_card(to) || !is_on_card(from))
      cuda_.check(cuda_.StreamSynchronize(stream_), "copy of an array");
  }
  void clear(void* start, std::int64_t bytes) {
    cuda_.check(cuda_.MemsetD8Async(address(start), 0, static_cast<std::size_t>(bytes), stream_),
                "memset");
  }
  template <class Size>
  void launch(const char* kernel, const Size& grid, const Size& block, std::int64_t shared_bytes,
              void** arguments) {
    void* const function = this->function(kernel, shared_bytes);
    const int result =
        cuda_.LaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                           static_cast<unsigned>(shared_bytes), stream_, arguments, nullptr);
    if (result != 0) cuda_.check(result, std::string("launch of ") + kernel);
  }
  int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) {
    int blocks = 0;
    cuda_.check(cuda_.OccupancyMaxActiveBlocksPerMultiprocessor(
                    &blocks, function(kernel, shared_bytes), threads,
                    static_cast<std::size_t>(shared_bytes)),
                std::string("occupancy of ") + kernel);
    return blocks;
  }
  /// For launches from now on.
  void prefer_shared(int per_cent) { carveout_ = per_cent; }

 private:
  /// The kernel with so much dynamic shared memory and with the carveout; asked for once each.
  void* function(const char* kernel, std::int64_t shared_bytes) {
    Module::Function* found = nullptr;
    for (Module::Function& known : module_.functions)
      if (known.name == kernel) found = &known;
    if (!found) {
      void* handle = nullptr;
      cuda_.check(cuda_.ModuleGetFunction(&handle, module_.handle, kernel),
                  std::string("kernel ") + kernel);
      module_.functions.push_back({kernel, handle});
      found = &module_.functions.back();
    }
    if (shared_bytes > found->shared_bytes) {
      cuda_.check(cuda_.FuncSetAttribute(found->handle, 8, static_cast<int>(shared_bytes)),
                  "shared memory for a kernel");
      found->shared_bytes = shared_bytes;
    }
    if (carveout_ != found->carveout) {
      cuda_.check(cuda_.FuncSetAttribute(found->handle, 9, carveout_), "carveout of a kernel");
      found->carveout = carveout_;
    }
    return found->handle;
  }

  const Driver& cuda_ = Driver::get();
  Card card_;
  Module& module_;
  void* stream_ = nullptr;
  std::vector<Driver::Address> memory_;
  int carveout_ = -1;
};

/// The device that a variant's rooftune/cuda_device.h declares, on a session.
template <class Device, class Launch, class Properties>
class DeviceOf final : public Device {
 public:
  explicit DeviceOf(Session& session) : session_(session) {
    static std::atomic<unsigned> problems{0};
    this->lifetime = ++problems;
    const Driver& cuda = Driver::get();
    const int device = session.card().device;
    properties_.compute_capability = session.card().capability;
    properties_.multiprocessors = session.card().multiprocessors;
    properties_.threads_per_multiprocessor = cuda.attribute(39, device);
    properties_.shared_per_multiprocessor = cuda.attribute(81, device);
    properties_.shared_per_block = cuda.attribute(97, device);
    properties_.l2_bytes = cuda.attribute(38, device);
    std::size_t bytes = 0;
    cuda.check(cuda.DeviceTotalMem(&bytes, device), "the memory of the card");
    properties_.memory_bytes = static_cast<std::int64_t>(bytes);
  }

  const Properties& properties() const override { return properties_; }
  void* allocate(std::int64_t bytes) override { return session_.allocate(bytes); }
  void release(void* start) noexcept override { session_.release(start); }
  void upload(void* to, const void* from, std::int64_t bytes) override {
    session_.copy(to, from, bytes);
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    session_.copy(to, from, bytes);
  }
  void clear(void* start, std::int64_t bytes) override { session_.clear(start, bytes); }
  void launch(const Launch& one) override {
    session_.launch(one.kernel, one.grid, one.block, one.shared_bytes, one.arguments);
  }
  int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) override {
    return session_.resident_blocks(kernel, threads, shared_bytes);
  }
  void prefer_shared(int per_cent) override { session_.prefer_shared(per_cent); }
  bool is_on_card(const void* array) const override {
    return rooftune_cuda_library::is_on_card(array);
  }

 private:
  Session& session_;
  Properties properties_;
};

/// How a variant is given its device: an address of its own for each problem.
struct Devices {
  void* (*make)(Session&);
  void (*destroy)(void*);
  void (*use)(void*);
};
/// `Current` is the pointer that the launching half follows.
template <auto* Current, class Launch, class Properties>
Devices devices() {
  using Device = std::remove_pointer_t<std::remove_pointer_t<decltype(Current)>>;
  using Own = DeviceOf<Device, Launch, Properties>;
  return {[](Session& session) -> void* { return new Own(session); },
          [](void* device) { delete static_cast<Own*>(device); },
          [](void* device) { *Current = static_cast<Own*>(device); }};
}

/// One call of a variant at a time; the launching half of most keeps one problem.
struct Turn {
  std::mutex mutex;
  bool taken = false;
  Kernels kernels;
};

/// One configuration of the kernel.
template <class Arguments>
struct Variant {
  const char *name, *about;
  int capability, multiprocessors;  ///< of the card where it was timed; 0: any
  const double* facts;              ///< integer arguments when it was timed; nullptr: any
  bool (*fits)(const Arguments&);   ///< as far as the arguments tell
  unsigned promises;                ///< what the application must know to hold besides
  void (*prepare)(const Arguments&);
  void (*run)(const Arguments&);
  void (*finish)(const Arguments&);
  /// Arrays on the card as the launching half reads them: on the host; nullptr: it does not.
  Arguments (*mirrored)(Mirrors&, const Arguments&, void* stream);
  Devices devices;
  Turn* turn;
};

/// Among the variants for this card; those of another compute capability only by name.
template <class Arguments>
const Variant<Arguments>& chosen(const Card& card, const Variant<Arguments>* const* variants,
                                 int count, const Arguments& arguments,
                                 const rooftune_library::Asked& asked, std::atomic<bool>* told) {
  const rooftune_library::Choice choice = rooftune_library::nearest(
      variants, count, arguments, asked, [](const Variant<Arguments>&) { return true; },
      [&](const Variant<Arguments>& one) {
        if (one.capability != card.capability) return -1.0;
        return rooftune_library::doublings(card.multiprocessors, one.multiprocessors);
      });
  const Variant<Arguments>& one = *variants[choice.place];
  char text[256];
  rooftune_library::describe(one, asked, text, sizeof text);
  rooftune_library::tell(text,
                         choice.reason == rooftune_library::Choice::Reason::none
                             ? ": no other is right for this machine, these arguments and promises"
                             : "",
                         asked, told[choice.place]);
  return one;
}

/// A problem that was prepared.
template <class Arguments>
class Problem {
 public:
  Problem(const Variant<Arguments>& the_variant, const Card& card, const Arguments& arguments,
          const rooftune_library::Asked& asked, void* stream)
      : variant(the_variant), arguments_(arguments) {
    rooftune_library::describe(variant, asked, name, sizeof name);
    const std::lock_guard lock(variant.turn->mutex);
    if (variant.turn->taken)
      throw Fault{Fault::misused, std::string("a problem is prepared already, and ") +
                                      variant.name + " keeps one at a time"};
    session_ = std::make_unique<Session>(card, variant.turn->kernels.in(card));
    device_ = variant.devices.make(*session_);
    try {
      call(variant.prepare, arguments, stream);
    } catch (...) {
      variant.devices.destroy(device_);
      throw;
    }
    variant.turn->taken = true;
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() {
    const std::lock_guard lock(variant.turn->mutex);
    variant.devices.destroy(device_);
    session_.reset();
    variant.turn->taken = false;
  }

  void run(const Arguments& arguments, void* stream) {
    rooftune_library::require_prepared(arguments, arguments_, true);
    const std::lock_guard lock(variant.turn->mutex);
    call(variant.run, arguments, stream);
  }
  void finish(const Arguments& arguments, void* stream) {
    rooftune_library::require_prepared(arguments, arguments_, true);
    const std::lock_guard lock(variant.turn->mutex);
    call(variant.finish, arguments, stream);
    mirrors_.bring_back(stream);
  }

  const Variant<Arguments>& variant;
  char name[160] = {};  ///< of the variant, and where it was timed if elsewhere

 private:
  void call(void (*function)(const Arguments&), const Arguments& arguments, void* stream) {
    session_->use(stream);
    if (!function) return;
    variant.devices.use(device_);
    function(variant.mirrored ? variant.mirrored(mirrors_, arguments, stream) : arguments);
  }

  Arguments arguments_;
  std::unique_ptr<Session> session_;
  void* device_ = nullptr;
  Mirrors mirrors_;
};

}  // namespace rooftune_cuda_library
