// The search on several nodes: what the others are given, and what they report.
#include "study/nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/rng.h"
#include "core/units.h"
#include "os/interruption.h"
#include "study/search_loop.h"

namespace rooftune::study {
namespace {

/// By this factor, beyond the noise, the baseline's times may differ between two nodes; else trials
/// on them would not compare.
constexpr double equal_within = 1.1;
/// With so many in hand, a node goes on working while the study's own node tries a configuration.
constexpr size_t fewest_in_hand = 2;

}  // namespace

std::string why_not_equal(const Trial& there, const Trial& here) {
  if (!there.ok())
    return fmt::format("the baseline, which runs here, is {} there: {}", to_text(there.outcome),
                       there.detail);
  if (!here.ok()) return {};
  const Estimate &other = there.measurement->seconds, &own = here.measurement->seconds;
  if (other.low <= equal_within * own.high && own.low <= equal_within * other.high) return {};
  return fmt::format("the baseline takes {} there and {} here, so trials would not compare",
                     to_text(Seconds(other.value)), to_text(Seconds(own.value)));
}

Configurations SearchLoop::in_hand() const {
  Configurations all;
  for (const AtWork& node : nodes_)
    for (const Started& one : node.in_hand) all.push_back(one.configuration);
  return all;
}

void SearchLoop::listen() {
  const Trial* baseline = proposed_.find(setting_.space.baseline());
  if (!options_.nodes || !baseline || failed(baseline->outcome)) return;
  while (auto report = options_.nodes->next(false)) take(std::move(*report));
}

void SearchLoop::feed() {
  for (AtWork& node : nodes_)
    if (node.in_hand.size() < fewest_in_hand) give_more(node);
}

void SearchLoop::take(NodeReport report) {
  const auto node = std::ranges::find(nodes_, report.node, &AtWork::node);
  if (!report.ended.empty()) return take_back(report);
  if (node == nodes_.end()) return welcome(report);
  std::erase_if(node->in_hand, [&](const Started& one) {
    return one.configuration == report.trial->configuration;
  });
  Trial trial = std::move(*report.trial);
  trial.node = report.node;
  remember(std::move(trial));
  if (report.environment)
    setting_.recorder.append(
        TrialEnvironment{history().trials().back().index, std::move(*report.environment)});
}

void SearchLoop::welcome(const NodeReport& report) {
  using enum StudyNode::Part;
  StudyNode node{report.node, tries};
  node.because = why_not_equal(*report.trial, *proposed_.find(setting_.space.baseline()));
  if (report.trial->measurement) node.baseline = report.trial->measurement->seconds;
  if (node.because.empty()) {
    nodes_.push_back({report.node});
  } else {
    node.part = left_out;
    left_out_.insert(report.node);
  }
  note(std::move(node));
}

void SearchLoop::take_back(const NodeReport& report) {
  if (contains(left_out_, report.node)) return;
  const auto node = std::ranges::find(nodes_, report.node, &AtWork::node);
  const bool worked = node != nodes_.end();
  const std::vector<Started> in_hand = worked ? node->in_hand : std::vector<Started>();
  if (worked) nodes_.erase(node);
  using enum StudyNode::Part;
  note({report.node, worked ? lost : left_out, report.ended});
  for (const Started& one : in_hand) {
    give_up(one.configuration, one.index);
    const bool killer = one.configuration == in_hand.front().configuration &&
                        !under_way_.insert(one.configuration.key()).second;
    if (!killer) {
      back_.push_back(one.configuration);
      continue;
    }
    Trial trial;
    trial.configuration = one.configuration;
    trial.outcome = Outcome::crashed;
    trial.detail = "two nodes were lost while they tried this configuration";
    trial.node = report.node;
    remember(std::move(trial));
  }
}

void SearchLoop::give_more(AtWork& node) {
  // What this node will try itself.
  Configurations chosen = options_.first;
  append(chosen, record().proposed);
  std::erase_if(chosen, [&](const Configuration& one) { return proposed_.tried(one); });
  const size_t wanted = std::max(fewest_in_hand - node.in_hand.size(),
                                 batch_size(pace(proposed_), options_.builders));
  Configurations given;
  while (given.size() < wanted && double(in_hand().size()) < evaluations_left() &&
         affordable() >= 1) {
    std::optional<Configuration> next;
    if (!back_.empty()) {
      next = std::move(back_.back());
      back_.pop_back();
    } else {
      Configurations pending = in_hand();
      append(pending, chosen);
      Rng rng(options_.seed, proposed_.size() + pending.size());
      next = setting_.strategy.propose(setting_.space, proposed_, rng, pending);
    }
    if (!next) break;
    if (prune_proven(*next)) continue;
    Started started{*next, history().size()};
    setting_.recorder.append(started);
    node.in_hand.push_back(std::move(started));
    given.push_back(std::move(*next));
  }
  if (given.empty()) return;
  const Trial* best = proposed_.best();
  options_.nodes->give(node.node, given, best ? std::optional(best->seconds()) : std::nullopt);
}

std::optional<Configuration> SearchLoop::back_here() {
  const auto next = find_if(back_, [&](const Configuration& one) {
    return nodes_.empty() || !under_way_.contains(one.key());
  });
  if (next == back_.end()) return std::nullopt;
  const Configuration configuration = *next;
  back_.erase(next);
  return configuration;
}

bool SearchLoop::has_room() const {
  return !proposed_.tried(setting_.space.baseline()) || forced() ||
         double(in_hand().size()) < evaluations_left();
}

bool SearchLoop::wait_for_others() {
  if (in_hand().empty()) return false;
  in_time(setting_.schedule.left(reserved() / 2), [&] {
    if (auto report = options_.nodes->next(true)) take(std::move(*report));
  });
  return true;
}

void SearchLoop::name_absent() {
  if (!options_.nodes) return;
  for (const std::string& name : options_.nodes->names())
    if (!first_with(record().nodes, &StudyNode::node, name))
      note({name, StudyNode::Part::left_out, "it was not ready when the search ended"});
}

void SearchLoop::dismiss() noexcept {
  for (const AtWork& node : nodes_)
    for (const Started& one : node.in_hand) give_up(one.configuration, one.index);
  nodes_.clear();
}

void SearchLoop::note(StudyNode node) {
  using enum StudyNode::Part;
  const char* const what = node.part == tries  ? " tries configurations of this study too"
                           : node.part == lost ? " is lost, and others try what it had in hand: "
                                               : " is left out: ";
  options_.say("node " + node.node + what + node.because);
  setting_.recorder.append(std::move(node));
}

}  // namespace rooftune::study
