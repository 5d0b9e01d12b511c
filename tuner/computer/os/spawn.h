// The start of a child process: vfork and exec, so that the size of the parent does not matter.
// Several threads may start children at once.
#pragma once
#include <sys/types.h>

#include <string>

#include "os/subprocess.h"

namespace rooftune::os {

/// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// Two ends of a pipe or socket pair, close-on-exec and above the descriptors that a child is
/// given.
struct DescriptorPair {
  Descriptor parent, child;
};
/// The parent reads what the child writes. Throws Error when the system has no descriptor left.
DescriptorPair output_pipe();
/// Both directions; the parent's end can be written without SIGPIPE.
DescriptorPair socket_pair();

struct Spawned {
  pid_t pid = -1;
  Descriptor pid_fd;   ///< -1 where the system has no pidfd_open
  std::string marker;  ///< environment variable that this child and its descendants carry
};

/// Starts `command`: own group, no core files, killed with the thread that started it, first choice
/// of the out-of-memory killer. `request` and `reply` become descriptors 3 and 4 unless -1; stdin
/// is empty, stdout and stderr are `output`; nothing else is inherited. Throws Error when it cannot
/// start.
Spawned spawn(const Command& command, int request, int reply, int output);

/// Kills a child of spawn(), its group and all its descendants, and waits for it: how it ended, by
/// itself before or now.
ExitStatus end_child(pid_t pid, const std::string& marker);

/// True for a child of spawn() that was not waited for yet.
bool is_registered_child(pid_t pid);
/// The same for ever for a child that spawn() has not started.
void register_child(pid_t pid);
/// Markers of the children of spawn() that were not waited for yet.
std::vector<std::string> markers_of_children();

/// By how much a wait that began at `since` and was to last `milliseconds` at most was too long: we
/// did not run meanwhile (a suspended job, a frozen container), nor did our children. 0 below a
/// second.
std::chrono::steady_clock::duration not_run(std::chrono::steady_clock::time_point since,
                                            int milliseconds);
/// Milliseconds left until `end`, at least 0, rounded up, at most `most`.
int milliseconds_until(std::chrono::steady_clock::time_point end, int most);

}  // namespace rooftune::os
