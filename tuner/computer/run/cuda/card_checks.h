// Looks at arrays that lie on a card, by Rooftune's own kernels, as text for the driver's
// assembler: only two numbers come down.
#pragma once
#include <optional>
#include <vector>

#include "core/unique.h"
#include "run/comparison.h"
#include "run/cuda/cuda_driver.h"

namespace rooftune::run {

class CardChecks : Unique {
 public:
  CardChecks(const CudaDriver& driver, CudaStream stream, int multiprocessors)
      : driver_(driver), stream_(stream), multiprocessors_(multiprocessors) {}
  ~CardChecks();
  /// False where the driver cannot assemble the kernels (small containers lack its assembler) or
  /// has no room: nothing else may be called then.
  bool are_ready();
  /// The two zones of an array; are_whole() says how many bytes each has, at most 1024.
  struct Guards {
    CudaAddress before = 0, behind = 0;
  };
  /// Whether all bytes in all zones are `pattern`.
  bool are_whole(const std::vector<Guards>& guards, unsigned bytes, unsigned char pattern);
  /// The largest error over its scale, as Comparison has it; nullopt where an element is wrong. All
  /// are addresses on the card; `scale` is 0 or one double for each element.
  std::optional<double> error(const Slot& slot, const ElementRule& rule, CudaAddress got,
                              CudaAddress expected, CudaAddress scale);

 private:
  struct Found {
    double largest = 0;
    uint64_t wrong = 0;
  };
  void clear();
  void launch(CudaFunction kernel, unsigned blocks, unsigned threads, void** arguments);
  Found found();

  const CudaDriver& driver_;
  CudaStream stream_;
  int multiprocessors_;
  CudaModule module_ = nullptr;
  CudaFunction compare_ = nullptr, guard_ = nullptr;
  CudaAddress found_ = 0;  ///< on the card
  bool was_tried_ = false;
};

}  // namespace rooftune::run
