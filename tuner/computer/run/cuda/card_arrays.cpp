#include "run/cuda/card_arrays.h"

#include <fmt/format.h>

#include <utility>

#include "core/list.h"
#include "run/sampler.h"

namespace rooftune::run {
namespace {

/// Results this small [B] come down sooner than a card compares them.
constexpr int64_t small_result = 128;

}  // namespace

void CardArrays::serve(ArraySet* arrays) {
  arrays_ = driver_.MemcpyDtoD ? arrays : nullptr;
  spares_ = any_away_ = false;
}

CudaAddress CardArrays::copy(const std::string& name, const void* elements, size_t bytes) {
  if (const auto* known = value_at(copies_, name)) return *known;
  CudaAddress start = 0;
  if (bytes == 0 || bytes > most_ - used_ || driver_.MemAlloc(&start, bytes) != 0) return 0;
  used_ += bytes;
  check(driver_, driver_.MemcpyHtoD(start, elements, bytes), "copy to the device");
  return copies_[name] = start;
}

CudaAddress CardArrays::copy_of_file(const fs::path& file) {
  if (const auto* known = value_at(copies_, file.string())) return *known;
  const MappedFile elements(file);
  return copy(file, elements.data(), elements.size());
}

CudaAddress CardArrays::copy_of(const void* from, int64_t bytes) {
  const GuardedArray* const array = spares_ && arrays_ ? arrays_->holding(from, bytes) : nullptr;
  if (!array || array->is(Argument::Access::write) ||
      !(array->is(Argument::Access::read) || array->is_kept()))
    return 0;
  const double begin = raw_clock();
  const auto name = fmt::format("{} {}", array->slot().argument.name, arrays_->input());
  const CudaAddress start = copy(name, array->data(), array->bytes());
  seconds_ += raw_clock() - begin;
  const auto offset =
      static_cast<const unsigned char*>(from) - static_cast<const unsigned char*>(array->data());
  return start == 0 ? 0 : start + CudaAddress(offset);
}

std::optional<double> CardArrays::error(const GuardedArray& output, CudaAddress got) {
  const double begin = raw_clock();
  const std::string key =
      array_file(reference_folder(arrays_->setup(), arrays_->input()), output.slot().argument.name);
  if (!rules_.contains(key)) rules_[key] = element_rule(*arrays_, output);
  const auto& rule = rules_[key];
  if (!rule) return {};
  const CudaAddress expected = copy_of_file(rule->reference),
                    scale = rule->scale ? copy_of_file(*rule->scale) : 0;
  seconds_ += raw_clock() - begin;
  if (expected == 0 || (rule->scale && scale == 0)) return {};
  return checks_.error(output.slot(), *rule, got, expected, scale);
}

bool CardArrays::stays(void* to, CudaAddress from, int64_t bytes) {
  GuardedArray* const array = arrays_ ? arrays_->holding(to, bytes) : nullptr;
  if (!array) return false;
  const bool is_whole = array->is_kept() && bytes == int64_t(array->bytes());
  if (spares_ && is_whole && bytes > small_result && checks_.are_ready())
    if (const auto largest = error(*array, from)) {
      array->leave({*largest, [this, from, bytes](void* place) {
                      // A variant's thread may be the first to look at it.
                      check(driver_, driver_.CtxSetCurrent(context_), "context");
                      check(driver_, driver_.MemcpyDtoH(place, from, bytes),
                            "copy from the device");
                    }});
      return any_away_ = true;
    }
  array->open();
  return false;
}

void CardArrays::come_home() {
  if (std::exchange(any_away_, false)) arrays_->come_home();
}

bool CardArrays::give_way() {
  most_ = used_ = 0;
  for (const auto& [name, start] : copies_) driver_.MemFree(start);
  return !std::exchange(copies_, {}).empty();
}

}  // namespace rooftune::run
