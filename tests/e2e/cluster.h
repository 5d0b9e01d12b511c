// A real Slurm on this computer: a controller and three nodes on the loopback device, in a folder
// of its own and on ports that are free. It needs no munge and ends with its owner.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "os/temporary_directory.h"

namespace rooftune::e2e {

class Cluster {
 public:
  /// Why there can be none here; empty when there can.
  static std::string missing();
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  /// What commands need to speak to this Slurm.
  std::map<std::string, std::string> environment() const;
  /// One line for each task that it has.
  std::string queue() const;

 private:
  std::string slurm(const std::vector<std::string>& words) const;
  void start_daemon(std::vector<std::string> words);
  bool is_ready() const;

  TemporaryDirectory folder_;
  std::vector<pid_t> daemons_;
};

}  // namespace rooftune::e2e
