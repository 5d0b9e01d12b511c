#include "probe/exercise.h"

#include <algorithm>

#include "core/list.h"
#include "core/number.h"
#include "probe/in_core_kernels.h"

namespace rooftune::probe {
namespace {

constexpr uint64_t slice_bytes = uint64_t{1} << 20;
/// Working sets up to this size are walked once before the windows, to fill caches that can hold
/// them.
constexpr uint64_t warm_limit = uint64_t{64} << 20;

Arena::Kind pages_of(const Ceiling& ceiling) {
  if (ceiling.remote) return Arena::Kind::remote;
  return ceiling.huge_pages ? Arena::Kind::huge : Arena::Kind::base;
}

uint64_t own_bytes(const Ceiling& ceiling) {
  return uint64_t(ceiling.working_set / ceiling.threads);
}

/// The same operands on every thread, fresh before each visit.
class InCoreExercise final : public Exercise {
 public:
  InCoreExercise(InCoreKernel kernel, int threads)
      : kernel_(std::move(kernel)), operands_(threads) {}

  void prepare(int index) override { own(index).operands = timing_operands(kernel_); }
  void work(int index) override { kernel_.run(amount, own(index).operands); }
  double units() const override {
    return double(amount) * kernel_.flops_per_iteration() * double(operands_.size());
  }

 private:
  struct alignas(128) Own {
    InCoreOperands operands;
  };
  Own& own(int index) { return operands_[index]; }

  InCoreKernel kernel_;
  std::vector<Own> operands_;
};

/// What all memory exercises share: where the memory lies, how many threads walk it.
class MemoryExercise : public Exercise {
 public:
  MemoryExercise(const Ceiling& ceiling, Arena& arena)
      : arena_(arena), kind_(pages_of(ceiling)), threads_(ceiling.threads) {}

 protected:
  Memory& memory(int index) { return arena_.memory(kind_, index); }
  double threads() const { return threads_; }

 private:
  Arena& arena_;
  Arena::Kind kind_;
  int threads_;
};

class StreamExercise final : public MemoryExercise {
 public:
  StreamExercise(const StreamKernel& kernel, const Ceiling& ceiling, Arena& arena)
      : MemoryExercise(ceiling, arena),
        kernel_(kernel),
        walks_(ceiling.threads),
        whole_lap_(ceiling.level.empty()) {
    const uint64_t arrays = kernel.arrays;
    slice_ = slice_bytes / arrays / kernel.chunk * kernel.chunk;
    bytes_ = own_bytes(ceiling) / arrays / kernel.chunk * kernel.chunk;
    if (bytes_ <= slice_)
      slice_ = bytes_;
    else
      bytes_ = bytes_ / slice_ * slice_;
  }
  bool possible() const { return bytes_ > 0; }

  void prepare(int index) override {
    const uint64_t arrays = kernel_.arrays;
    Walk& walk = walks_[index];
    Memory& own = memory(index);
    if (kernel_.mix == StreamMix::load)
      own.touch(bytes_);
    else
      own.fill(arrays * spacing());
    point(walk, own, 0);
    walk.arguments.sink = walk.sink;
    std::ranges::fill(walk.arguments.scalar, scalar());
    if (bytes_ * arrays > warm_limit && !whole_lap_) return;
    walk.arguments.bytes = bytes_;
    walk.arguments.passes = 1;
    kernel_.run(walk.arguments);
    own.cursor = 0;  // first walked, so longest unused
  }

  void work(int index) override {
    Walk& walk = walks_[index];
    walk.arguments.bytes = slice_;
    if (slice_ == bytes_) {
      walk.arguments.passes = amount;
      kernel_.run(walk.arguments);
      return;
    }
    walk.arguments.passes = 1;
    Memory& own = memory(index);
    for (int64_t i = 0; i < amount; ++i) {
      const uint64_t offset = own.cursor / slice_ * slice_ % bytes_;
      point(walk, own, offset);
      kernel_.run(walk.arguments);
      own.cursor = offset + slice_;
    }
  }

  double units() const override {
    return double(amount) * double(slice_) * kernel_.bytes_per_byte * threads();
  }

 private:
  struct alignas(128) Walk {
    StreamArguments arguments;
    alignas(64) double sink[16 * 8] = {};
  };

  /// Keeps every value finite and not 0, whatever kernels walked the memory before.
  double scalar() const {
    if (kernel_.mix == StreamMix::update) return -1;
    return kernel_.mix == StreamMix::store ? 0.8125 : -0.5;
  }
  /// The arrays start at different offsets within a page, so that they do not compete for cache
  /// sets.
  uint64_t spacing() const {
    constexpr uint64_t page = 4096, shift = 17 * line_bytes;
    return (bytes_ + page - 1) / page * page + shift;
  }
  void point(Walk& walk, Memory& own, uint64_t offset) const {
    const auto at = [&](uint64_t array) {
      return reinterpret_cast<double*>(own.begin() + array * spacing() + offset);
    };
    walk.arguments.a = at(0);
    walk.arguments.b = at(1);
    walk.arguments.c = at(2);
  }

  StreamKernel kernel_;
  std::vector<Walk> walks_;
  bool whole_lap_;  ///< in a sweep, where walks of other sizes have just used part of this memory
  uint64_t bytes_ = 0, slice_ = 0;  ///< each array's
};

class StridedExercise final : public MemoryExercise {
 public:
  StridedExercise(const Ceiling& ceiling, Arena& arena)
      : MemoryExercise(ceiling, arena),
        stride_(int(ceiling.stride)),
        run_(strided_kernel(stride_)),
        walks_(ceiling.threads) {
    const uint64_t group = strided_group * stride_;
    groups_ = own_bytes(ceiling) / group;
    if (groups_ > slice_groups) groups_ = groups_ / slice_groups * slice_groups;
  }
  bool possible() const { return run_ != nullptr && groups_ > 0; }

  void prepare(int index) override {
    Memory& own = memory(index);
    own.touch(bytes());
    if (bytes() <= warm_limit) walks_[index].sum += whole(own, 1);
  }

  void work(int index) override {
    Walk& walk = walks_[index];
    Memory& own = memory(index);
    if (groups_ * phases() <= slice_groups) {
      walk.sum += whole(own, amount);
      return;
    }
    const int64_t slice = std::min(groups_, slice_groups);
    const int64_t span = slice * strided_group * stride_;  // bytes strided over by a slice
    for (int64_t i = 0; i < amount; ++i) {
      const int64_t at = own.cursor / span % (groups_ / slice);
      if (at == 0) walk.phase = (walk.phase + 1) % phases();
      walk.sum += run_(own.begin() + walk.phase * line_bytes + at * span, slice, 1, 1);
      own.cursor = (at + 1) * span;
    }
  }

  double units() const override {
    const bool small = groups_ * phases() <= slice_groups;
    const int64_t groups = small ? groups_ * phases() : std::min(groups_, slice_groups);
    return double(amount * groups * strided_group) * double(line_bytes) * threads();
  }

 private:
  static constexpr int64_t slice_groups = slice_bytes / line_bytes / strided_group;
  struct alignas(128) Walk {
    int64_t phase = 0;
    uint64_t sum = 0;
  };

  int64_t phases() const { return stride_ / line_bytes; }
  uint64_t bytes() const { return groups_ * strided_group * stride_; }
  uint64_t whole(Memory& own, int64_t passes) const {
    return run_(own.begin(), groups_, phases(), passes);
  }

  int stride_;
  StridedKernel run_;
  std::vector<Walk> walks_;
  int64_t groups_ = 0;  ///< per phase
};

class ChaseExercise final : public MemoryExercise {
 public:
  ChaseExercise(const Ceiling& ceiling, int misses, Arena& arena)
      : MemoryExercise(ceiling, arena),
        misses_(misses),
        run_(chase_kernel(misses)),
        bytes_(own_bytes(ceiling) / group * group),
        walks_(ceiling.threads) {}
  bool possible() const { return run_ != nullptr && bytes_ >= most_misses * line_bytes; }

  void prepare(int index) override {
    Walk& walk = walks_[index];
    Memory& own = memory(index);
    own.link(bytes_);
    if (walk.cycle != own.cycles()) {
      walk.cycle = own.cycles();
      for (int i = 0; i < misses_; ++i) walk.heads[i] = own.heads()[i * most_misses / misses_];
    }
    if (bytes_ > warm_limit) return;
    strided_kernel(line_bytes)(own.begin(), bytes_ / group, 1, 1);
  }
  void work(int index) override { run_(amount * chase_unroll, walks_[index].heads); }
  double units() const override {
    return double(amount * chase_unroll * misses_) * double(line_bytes) * threads();
  }

 private:
  static constexpr uint64_t group = strided_group * line_bytes;
  struct alignas(128) Walk {
    void* heads[most_misses] = {};
    uint64_t cycle = 0;
  };

  int misses_;
  ChaseKernel run_;
  uint64_t bytes_;
  std::vector<Walk> walks_;
};

template <class Made>
std::unique_ptr<Exercise> if_possible(std::unique_ptr<Made> exercise) {
  if (!exercise->possible()) return nullptr;
  return exercise;
}

std::unique_ptr<Exercise> in_core_exercise(const Ceiling& ceiling, const CpuFeatures& features) {
  const auto kernels =
      ceiling.precision.starts_with("fp") ? in_core_kernels(features) : integer_kernels(features);
  const auto* const found = first_where(kernels, [&](const InCoreKernel& kernel) {
    return kernel.precision == ceiling.precision && kernel.mix == ceiling.mix &&
           kernel.simd_bits == ceiling.simd_bits && kernel.ilp == ceiling.ilp;
  });
  return found ? std::make_unique<InCoreExercise>(*found, ceiling.threads) : nullptr;
}

}  // namespace

int misses_of(const Ceiling& ceiling) {
  if (ceiling.kind == Ceiling::Kind::latency) return 1;
  const auto place = ceiling.name.find("mlp");
  if (ceiling.mix != random_walk || place == std::string::npos) return 0;
  return leading_number<int>(std::string_view(ceiling.name).substr(place + 3)).value_or(0);
}

std::unique_ptr<Exercise> exercise_of(const Ceiling& ceiling, const CpuFeatures& features,
                                      Arena& arena) {
  if (ceiling.kind == Ceiling::Kind::in_core) return in_core_exercise(ceiling, features);
  if (const int misses = misses_of(ceiling); misses > 0)
    return if_possible(std::make_unique<ChaseExercise>(ceiling, misses, arena));
  if (ceiling.stride >= double(line_bytes))
    return if_possible(std::make_unique<StridedExercise>(ceiling, arena));
  for (const StreamKernel& kernel : stream_kernels(features))
    if (word(kernel.mix) == ceiling.mix && kernel.non_temporal == ceiling.non_temporal)
      return if_possible(std::make_unique<StreamExercise>(kernel, ceiling, arena));
  return nullptr;
}

}  // namespace rooftune::probe
