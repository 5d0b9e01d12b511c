// The early end of a worker under a tool, with all output of both: the tool may have printed the
// reason.
#pragma once
#include <string>

#include "core/error.h"

namespace rooftune::counters {

/// Exception of a ProcessLauncher for it.
class UnfinishedRun : public Error {
 public:
  UnfinishedRun(const std::string& fault, std::string output)
      : Error(fault, "a worker under a tool"), output_(std::move(output)) {}
  const std::string& output() const { return output_; }

 private:
  std::string output_;
};

}  // namespace rooftune::counters
