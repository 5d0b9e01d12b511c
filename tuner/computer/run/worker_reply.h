// One request to a worker and all its replies, each with its own time limit.
#pragma once
#include "run/host_evaluator.h"
#include "run/remote_worker.h"

namespace rooftune::run {

/// A worker's answer about one configuration.
struct WorkerReply {
  std::optional<Ending> ending;  ///< absent: it came to its end
  std::string detail;            ///< of a bad end, with where it happened; of a good one, a note
  double prepare_seconds = 0, call_seconds = 0, max_error = 0;
  int repeats = 1;
  std::vector<Sample> samples;
  std::optional<Counts> counts;
  double validate_seconds = 0, time_seconds = 0;
  std::optional<CardState> card;
};

/// Limits of one request's steps [s].
struct StepLimits {
  double memory_bytes_moved = 0;  ///< of filling and comparing all arrays
  double foreign_seconds = 60;    ///< loading, prepare, finish
  double call_seconds = 60;       ///< one call of the kernel
  double counting_seconds = 300;  ///< all counted calls together
  std::string call_rule;          ///< how call_seconds came about
};

/// Sends a request and follows its replies to the end. After a bad one a worker is used no more,
/// unless the request was a trial and the worker has not ended.
WorkerReply request(RemoteWorker& worker, Action action, Json body, const StepLimits& limits);

}  // namespace rooftune::run
