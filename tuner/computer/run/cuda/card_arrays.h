// A study's arrays beside a card, so that each goes up once and none comes down: copies of fresh
// inputs and of the reference's outputs stay there, and give way when variants need the memory;
// outputs are compared there, and stay while nobody looks at them.
#pragma once
#include <map>
#include <string>

#include "run/cuda/card_checks.h"

namespace rooftune::run {

class CardArrays {
 public:
  /// `most`: bytes for all copies together.
  CardArrays(const CudaDriver& driver, CudaContext context, CardChecks& checks, size_t most)
      : driver_(driver), context_(context), checks_(checks), most_(most) {}
  /// See GpuMachine::serve(), spare_copies(), keeping_seconds().
  void serve(ArraySet* arrays);
  void spare_copies(bool on) { spares_ = on; }
  double seconds() const { return seconds_; }
  /// The copy on the card for bytes from an array that holds what it was filled with; 0: there is
  /// none, or the upload is not to be spared.
  CudaAddress copy_of(const void* from, int64_t bytes);
  /// Whether this download is not needed: the array stays on the card, compared. Else the array is
  /// open for writing.
  bool stays(void* to, CudaAddress from, int64_t bytes);
  /// Before the card's memory changes: brings the outputs that stayed there.
  void come_home();
  /// Frees the copies and keeps none from now on. False: there was nothing to free.
  bool give_way();

 private:
  /// 0: there is no room.
  CudaAddress copy(const std::string& name, const void* elements, size_t bytes);
  CudaAddress copy_of_file(const fs::path& file);
  /// The largest error in an output there; nullopt: only the host can tell, or the output is wrong.
  std::optional<double> error(const GuardedArray& output, CudaAddress got);

  const CudaDriver& driver_;
  CudaContext context_;
  CardChecks& checks_;
  size_t most_, used_ = 0;
  double seconds_ = 0;
  ArraySet* arrays_ = nullptr;  ///< null: their contents are not known
  bool spares_ = false, any_away_ = false;
  ByName<CudaAddress> copies_;
  ByName<std::optional<ElementRule>> rules_;  ///< by the reference's file
};

}  // namespace rooftune::run
