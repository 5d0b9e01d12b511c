// A worker's replies, on a descriptor shared by its copies.
#pragma once
#include <optional>

#include "run/message.h"

namespace rooftune::run {

/// Sends one reply: {"sequence": n, "phase": phase, ...body}.
class Replies {
 public:
  explicit Replies(int fd) : fd_(fd) {}
  void begin(std::int64_t sequence) { sequence_ = sequence; }
  void send(Phase phase, Json body = Json::object());
  /// {"outcome": outcome, "detail": detail, ...}: the last reply of a failed request. Without an
  /// outcome the fault is the user's input: an Error in the parent.
  void fault(std::optional<Outcome> outcome, const std::string& detail,
             const std::string& where = {}, const std::string& hint = {});

 private:
  int fd_;
  std::int64_t sequence_ = 0;
};

/// From now on a forbidden access to an array of this process (array_set.h) is the last reply of
/// the request at hand, and the end of the process. Any other invalid access ends it as ever.
void explain_forbidden_accesses(Replies& replies);

}  // namespace rooftune::run
