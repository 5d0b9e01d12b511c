// A real Slurm on this computer: a controller and three nodes on the loopback device, in a folder
// of its own and on ports that are free. It needs no munge and ends with its owner, also when that
// is killed.
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
  /// Tasks with their reasons, nodes, and the end of the controller's log: for failures of tests.
  std::string state() const;
  /// kill -9 of the controller, and another one that goes on from its files.
  void kill_controller();
  void start_controller();
  /// Waits until it answers; false after half a minute.
  bool answers() const;
  /// kill -9 of a node's daemon, and of all that it started where nodes have process namespaces of
  /// their own; an administrator says that it is down.
  void kill_node(const std::string& node);
  /// Where the task runs; empty when it does not.
  std::string node_of(const std::string& task) const;

 private:
  std::string slurm(const std::vector<std::string>& words) const;
  void end(pid_t daemon);
  pid_t start_daemon(std::vector<std::string> words);
  bool is_ready() const;

  TemporaryDirectory folder_;
  std::vector<std::string> alone_;  ///< words that give a node a namespace of processes
  std::vector<pid_t> daemons_;
  pid_t controller_ = -1;
  std::map<std::string, pid_t> nodes_;
};

}  // namespace rooftune::e2e
