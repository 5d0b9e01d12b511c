// The end of a child, in words.
#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <map>

#include "os/subprocess.h"

namespace rooftune::os {
namespace {

const char* meaning(int signal_number) {
  static const std::map<int, const char*> meanings = {
      {SIGSEGV, "invalid memory access"},
      {SIGBUS, "memory that does not exist"},
      {SIGFPE, "integer division by zero or overflow"},
      {SIGILL, "an instruction that this CPU does not have"},
      {SIGABRT, "abort, a failed assertion or an uncaught exception"},
      {SIGKILL, "killed from outside"},
      {SIGTERM, "asked to end"},
      {SIGXCPU, "CPU time limit"},
      {SIGXFSZ, "file size limit"},
      {SIGSYS, "forbidden system call"}};
  const auto found = meanings.find(signal_number);
  return found == meanings.end() ? nullptr : found->second;
}

}  // namespace

ExitStatus exit_status(int status) {
  ExitStatus result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string ExitStatus::text() const {
  if (timed_out) return "killed at its deadline";
  if (over_memory) return "killed over its memory limit";
  if (code) return fmt::format("exit code {}", *code);
  if (!signal) return "unknown end";
  const char* name = sigabbrev_np(*signal);
  const std::string shown = name ? fmt::format("SIG{}", name) : fmt::format("signal {}", *signal);
  const char* means = meaning(*signal);
  return means ? fmt::format("killed by {} ({})", shown, means) : "killed by " + shown;
}

}  // namespace rooftune::os
