// The loop of a worker process: requests on descriptor 3, replies on 4.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <new>

#include "run/host_evaluator.h"
#include "run/problem_host.h"
#include "run/worker.h"

namespace rooftune::inline run {
namespace {

/// Lines of a descriptor.
class Lines {
 public:
  explicit Lines(int fd) : fd_(fd) {}
  /// False at the end of input.
  bool next(std::string& line) {
    for (;;) {
      if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
        line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return true;
      }
      std::array<char, 4096> block;
      const ssize_t count = read(fd_, block.data(), block.size());
      if (count <= 0) return false;
      text_.append(block.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int fd_;
  std::string text_;
};

/// Away from 3 and 4, where a variant that writes to descriptors it does not own would hit it.
int hidden(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) close(fd);
  return high >= 0 ? high : fd;
}

/// Answers one request; every exception becomes a reply.
void serve(Worker& worker, Replies& replies, const std::string& line) {
  const auto fault = [&](const std::string& outcome, const std::string& message,
                         const std::string& where, const std::string& hint) {
    replies.send("fault",
                 {{"outcome", outcome}, {"detail", message}, {"where", where}, {"hint", hint}});
  };
  try {
    worker.answer(parse_json(line, "request"));
  } catch (const VariantFault& variant) {
    fault(variant.outcome, variant.detail, {}, {});
  } catch (const ProblemFault& problem) {
    fault(user_fault, problem.message, problem.where, problem.hint);
  } catch (const Error& error) {
    fault(user_fault, error.message(), error.where(), error.hint());
  } catch (const std::bad_alloc&) {
    fault("out_of_memory", "the arrays cannot be allocated", {}, {});
  } catch (const std::exception& error) {
    fault(user_fault, error.what(), {}, {});
  }
}

}  // namespace

int worker_main() {
  // Whoever runs us may have installed handlers (a sanitizer does); the parent reads signals.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT})
    std::signal(number, SIG_DFL);
  Lines requests(hidden(3));
  Replies replies(hidden(4));
  Worker worker(replies);
  for (std::string line; requests.next(line);) {
    serve(worker, replies, line);
    if (worker.leaving()) return 0;
  }
  // Foreign exit handlers and destructors have nothing to say any more.
  _exit(0);
}

}  // namespace rooftune::inline run
