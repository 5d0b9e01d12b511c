#include "host/slurm_nodes.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/file.h"
#include "core/seconds_since.h"
#include "core/split.h"
#include "host/host_platform.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "study/baseline.h"
#include "study/prepare.h"

namespace rooftune::host {
namespace {

constexpr const char* serving = "ROOFTUNE_OTHER_NODE";

Error no_nodes(const StudySpec& spec, const std::string& why) {
  return Unavailable(
      why, fmt::format("--nodes {}", spec.nodes),
      fmt::format("sbatch --nodes={} --no-kill --exclusive runs the same command on the "
                  "first of {} nodes; docs/clusters.md has an example",
                  spec.nodes, spec.nodes));
}

/// A line that a node writes: an explanation in the first, a trial in every one; or a fault alone.
struct Reply {
  std::string explanation = {};  ///< StudyHeader::explanation
  std::string fault = {};        ///< why the node cannot take part
  std::optional<Trial> trial = {};
  std::optional<Environment> environment = {};
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.sparse, self, explanation, fault, trial, environment);
  }
};
/// A line that a node reads; without configurations it tells the node to end.
struct Request {
  Configurations configurations = {};
  std::optional<double> incumbent = {};
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.sparse, self, configurations, incumbent);
  }
};
std::string line_of(const auto& message) { return encode(message).dump(); }

/// Started by srun. A Child's requests and replies go through its standard input and output.
class SlurmNode {
 public:
  SlurmNode(std::string name, const StudySpec& spec) : name_(std::move(name)) {
    Command command;
    command.argv = {"sh",
                    "-c",
                    "exec \"$@\" <&3 >&4 3<&- 4>&-",
                    "sh",
                    "srun",
                    "--overlap",
                    "--nodes=1",
                    "--ntasks=1",
                    "--cpu-bind=none",
                    "--nodelist=" + name_,
                    self().string()};
    command.argv.insert(command.argv.end(), spec.command.begin() + 1, spec.command.end());
    command.environment[serving] = name_;
    command.keeps_end = true;
    command.kept_output = 4 << 10;
    command.hands_over = true;
    child_.emplace(command);
  }

  const std::string& name() const { return name_; }
  bool is_gone() const { return gone_; }

  /// The node's next report, if it comes within so many milliseconds.
  std::optional<NodeReport> next(int milliseconds, const StudyHeader& header) {
    const Child::Reply reply = child_->receive(std::chrono::milliseconds(milliseconds));
    if (reply.event == Child::Event::timed_out) return std::nullopt;
    if (reply.event != Child::Event::line) return ended(last_words());
    try {
      return report(decoded<Reply>(parse_json(reply.line, name_), name_), header);
    } catch (const Error& error) {
      return ended(error.what());
    }
  }

  void give(const Request& request) { child_->send(line_of(request)); }

  void ask_to_end() {
    if (gone_) return;
    child_->send(line_of(Request()));
    ::kill(child_->pid(), SIGTERM);
  }

 private:
  NodeReport report(Reply reply, const StudyHeader& header) {
    if (!reply.fault.empty()) return ended(reply.fault);
    if (!reply.explanation.empty() && reply.explanation != header.explanation)
      return ended("it has another " +
                   joined(differing_parts(header.explanation, reply.explanation), ", another ") +
                   ": the nodes of a study are of one class, with the same software");
    if (!reply.trial) return ended("it wrote a line without a trial");
    return {name_, std::move(reply.trial), std::move(reply.environment)};
  }
  NodeReport ended(const std::string& why) {
    gone_ = true;
    return {name_, {}, {}, why};
  }
  /// The last line that srun wrote.
  std::string last_words() {
    ExitStatus status = child_->kill();
    status.timed_out = false;  // The deadline was only a look's.
    const auto lines =
        filtered(split(child_->output()), [](const std::string& line) { return !line.empty(); });
    return status.text() + (lines.empty() ? "" : ": " + lines.back());
  }

  std::string name_;
  std::optional<Child> child_;
  bool gone_ = false;
};

class SlurmNodes : public OtherNodes {
 public:
  SlurmNodes(const Texts& names, const StudySpec& spec, StudyHeader header)
      : header_(std::move(header)) {
    for (const std::string& name : names) nodes_.push_back(std::make_unique<SlurmNode>(name, spec));
  }
  ~SlurmNodes() override {
    for (const auto& node : nodes_) node->ask_to_end();
    // Then srun and its step end. An srun that does not is killed here, and its step by Slurm with
    // the job.
    constexpr int patience = 2000;  // [ms]
    const auto begin = SteadyClock::now();
    for (const auto& node : nodes_)
      while (!node->is_gone() && 1000 * seconds_since(begin) < patience) node->next(50, header_);
  }

  std::string own_node() const override { return environment_text("SLURMD_NODENAME"); }

  Texts names() const override {
    return members(nodes_, [](const auto& node) { return node->name(); });
  }

  std::optional<NodeReport> next(bool wait) override {
    constexpr int turn = 50;  // [ms]
    for (bool first = true;; first = false) {
      bool works = false;
      for (const auto& node : nodes_) {
        if (node->is_gone()) continue;
        works = true;
        if (auto report = node->next(wait && !first ? turn : 0, header_)) return report;
      }
      if (!wait || !works) return std::nullopt;
      throw_if_interrupted();
    }
  }

  void give(const std::string& node, const Configurations& configurations,
            std::optional<double> incumbent) override {
    for (const auto& one : nodes_)
      if (one->name() == node) one->give({configurations, incumbent});
  }

 private:
  StudyHeader header_;
  std::vector<std::unique_ptr<SlurmNode>> nodes_;
};

/// The study's requests, line by line. Throws Interrupted.
class Requests {
 public:
  /// Without configurations: there are no more.
  Request next() {
    for (;;) {
      if (const size_t end = text_.find('\n'); end != std::string::npos) {
        const std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return decoded<Request>(parse_json(line, serving), serving);
      }
      pollfd waits[] = {{STDIN_FILENO, POLLIN, 0}, {interruption_descriptor(), POLLIN, 0}};
      poll(waits, 2, -1);
      throw_if_interrupted();
      char block[4096];
      const ssize_t count = waits[0].revents ? read(STDIN_FILENO, block, sizeof block) : -1;
      if (count == 0) return {};
      if (count > 0) text_.append(block, size_t(count));
    }
  }

 private:
  std::string text_;
};

/// Tries what the study asks for; `reply` takes each trial.
void serve(const StudySpec& spec, const TextCallback& say,
           const std::function<void(const Reply&)>& reply) {
  HostPlatform platform;
  const auto reserved = platform.reserve(spec, say);
  PreparedStudy study = prepare(spec, platform);
  History history;
  const auto evaluator = evaluator_of(study, history);
  const auto tried = [&](const Configuration& one, std::optional<double> incumbent) {
    const auto watched = platform.watch(study.on_gpu());
    Reply result;
    result.trial = evaluator->evaluate(one, incumbent);
    result.environment = watched();
    return result;
  };
  Reply ready = tried(study.first().space->baseline(), {});
  ready.explanation = study.header.explanation;
  reply(ready);
  Requests requests;
  for (Request now = requests.next(); !now.configurations.empty(); now = requests.next()) {
    if (now.configurations.size() > 1) evaluator->build(now.configurations);
    for (const Configuration& one : now.configurations) reply(tried(one, now.incumbent));
  }
}

}  // namespace

Texts other_nodes_of(const StudySpec& spec) {
  if (spec.nodes < 2) return {};
  const std::string own = environment_text("SLURMD_NODENAME"),
                    all = environment_text("SLURM_JOB_NODELIST");
  if (all.empty() || own.empty() || spec.command.empty())
    throw no_nodes(spec, "this is not a node of an allocation of Slurm");
  Command command;
  command.argv = {"scontrol", "show", "hostnames", all};
  const Finished finished = execute(command);
  Texts names =
      filtered(split(finished.output), [](const std::string& name) { return !name.empty(); });
  if (!finished.status.ok())
    throw no_nodes(spec, "scontrol does not tell the nodes of the allocation: " + joined(names));
  const size_t allocated = names.size();
  std::erase(names, own);
  if (allocated < size_t(spec.nodes))
    throw no_nodes(spec, fmt::format("the allocation has {} nodes: {}", allocated, all));
  names.resize(size_t(spec.nodes) - 1);
  return names;
}

std::unique_ptr<OtherNodes> slurm_nodes(const StudySpec& spec, const StudyHeader& header) {
  const Texts names = other_nodes_of(spec);
  if (names.empty()) return nullptr;
  return std::make_unique<SlurmNodes>(names, spec, header);
}

bool is_other_node() { return !environment_text(serving).empty(); }

int serve_as_other_node(const StudySpec& spec, const TextCallback& say) {
  // Whatever else is printed goes beside the replies.
  const Descriptor replies(dup(STDOUT_FILENO));
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const auto reply = [&](const Reply& line) {
    if (!write_all(replies.get(), line_of(line) + "\n")) throw Interrupted{};
  };
  try {
    serve(spec, say, reply);
    return int(ExitCode::ok);
  } catch (const Interrupted&) {
    return int(ExitCode::interrupted);
  } catch (const Error& error) {
    reply({.fault = error.what()});
    return int(error.code());
  }
}

}  // namespace rooftune::host
