// What a kokkos.cpp needs beside Kokkos: its default execution space, started once, and device
// copies of the caller's arrays. The process ends without finalising: the next configuration has
// one of its own.
#pragma once
#include <Kokkos_Core.hpp>

#include "rooftune/portable.h"

namespace rooftune {

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using DeviceSpace = ExecutionSpace::memory_space;

/// The space can work on the caller's memory as it is.
constexpr bool shares_host_memory =
    Kokkos::SpaceAccessibility<ExecutionSpace, Kokkos::HostSpace>::accessible;

/// Before any other call; the shim makes it.
inline void start_kokkos() {
  if (!Kokkos::is_initialized()) Kokkos::initialize();
}

/// The caller's array as kernels see it: itself where they share its memory, else a copy.
template <class T>
class DeviceArray {
 public:
  using Element = std::remove_const_t<T>;
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// Remembers the caller's array and copies it in: once per <function>_prepare.
  void copy_in(T* host, Int64 count) {
    host_ = host;
    if constexpr (shares_host_memory) {
      device_ = const_cast<Element*>(host);
    } else {
      if (count > count_) {
        if (device_) Kokkos::kokkos_free<DeviceSpace>(device_);
        device_ = static_cast<Element*>(
            Kokkos::kokkos_malloc<DeviceSpace>(static_cast<std::size_t>(count) * sizeof(Element)));
      }
      Kokkos::deep_copy(there(count), here(count));
    }
    count_ = count;
  }

  /// Brings the result back: once per <function>_finish, for arrays that are written.
  void copy_out() {
    if constexpr (!shares_host_memory)
      Kokkos::deep_copy(Kokkos::View<Element*, Kokkos::HostSpace, Unmanaged>(
                            const_cast<Element*>(host_), extent(count_)),
                        there(count_));
  }

  /// For use inside kernels.
  T* data() const { return device_; }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  static std::size_t extent(Int64 count) { return static_cast<std::size_t>(count); }
  auto there(Int64 count) const {
    return Kokkos::View<Element*, DeviceSpace, Unmanaged>(device_, extent(count));
  }
  auto here(Int64 count) const {
    return Kokkos::View<const Element*, Kokkos::HostSpace, Unmanaged>(host_, extent(count));
  }

  T* host_ = nullptr;
  Element* device_ = nullptr;
  Int64 count_ = 0;
};

}  // namespace rooftune
