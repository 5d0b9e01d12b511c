#include "study/stages.h"

#include "os/interruption.h"

namespace rooftune::study {
namespace {

/// Readings of a machine before and after a search show a change in between.
void read_anchors_again(StageContext& context) {
  if (context.end.evaluated == 0 || context.anchors_before.empty()) return;
  std::vector<std::string> names;
  for (const Ceiling& ceiling : context.anchors_before) names.push_back(ceiling.name);
  auto now = context.platform.anchors(context.study.machine, names);
  context.throw_if_interrupted();
  context.recorder.append(
      AnchorReadings{context.anchors_before, std::move(now), context.anchors_between});
}

}  // namespace

void StageContext::say_of(std::size_t input, const std::string& text) const {
  say(study.objective ? study.inputs[input]->model.name + ": " + text : text);
}

void StageContext::throw_if_interrupted() const {
  if (interrupted()) throw Interrupted{};
}

void run_stages(StageContext& context) {
  for (const auto stage : {read_anchors_again, count, race_published_steps}) {
    context.throw_if_interrupted();
    stage(context);
  }
  context.throw_if_interrupted();
}

}  // namespace rooftune::study
