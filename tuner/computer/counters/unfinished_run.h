// A worker under a tool that did not come to its end, with everything that both printed: the tool
// may have said why.
#pragma once
#include <string>

#include "core/error.h"

namespace rooftune::counters {

/// What a ProcessLauncher throws for it.
class UnfinishedRun : public Error {
 public:
  UnfinishedRun(const std::string& fault, std::string output)
      : Error(fault, "a worker under a tool"), output_(std::move(output)) {}
  const std::string& output() const { return output_; }

 private:
  std::string output_;
};

}  // namespace rooftune::counters
