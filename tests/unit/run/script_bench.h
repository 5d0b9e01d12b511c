// Programs as shell scripts whose figures are formulas of their words.
#pragma once
#include <algorithm>
#include <string>

#include "core/file.h"
#include "run/command_evaluator.h"
#include "support/scratch_folder.h"

namespace rooftune::testing::scripts {

inline Knob knob(const std::string& name, std::vector<Value> values,
                 Knob::Kind kind = Knob::Kind::argument) {
  Knob result;
  result.name = name;
  result.kind = kind;
  result.values = std::move(values);
  result.fallback = result.values.front();
  return result;
}

inline SearchSpace x_and_y() {
  return SearchSpace("program", {knob("x", {1, 2, 3}), knob("y", {"a b", "c"})}, {}, {});
}

inline Configuration with(const SearchSpace& space, const std::string& name, const Value& value) {
  Configuration result = space.baseline();
  result.set(name, value);
  return result;
}

inline Program script(const std::string& text) {
  Program program;
  program.command = quoted({"sh", "-c", text, "sh", "{x}", "{y}"});
  program.metric = R"(regex:time: (\S+))";
  return program;
}

/// An evaluator with its folder.
struct ScriptBench {
  explicit ScriptBench(const Program& program, const SearchSpace& space_of = x_and_y(),
                       const Facts& problem = {}, int builders = 1)
      : space(space_of),
        owned(command_evaluator(
            {{program_kernel(program, problem), {}}, problem, 0, 0, {}, builders}, folder.path())) {
    evaluator.use(space);
  }
  Trial trial(std::optional<double> incumbent = {}) {
    return evaluator.evaluate(space.baseline(), incumbent);
  }
  testing::ScratchFolder folder;
  SearchSpace space;
  std::unique_ptr<CommandEvaluator> owned;
  CommandEvaluator& evaluator = *owned;
};

inline std::size_t line_count(const std::filesystem::path& file) {
  const std::string text = text_if_readable(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace rooftune::testing::scripts
