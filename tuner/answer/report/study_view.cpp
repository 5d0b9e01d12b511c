// A study's data for page scripts: the knobs and every trial, as one JSON object.
#include "report/study_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ranges>

#include "core/fields.h"
#include "core/list.h"
#include "kernel/kernel.h"
#include "report/answer.h"
#include "report/study_page.h"

namespace rooftune::report {
namespace {

/// Six digits are enough to tell times apart, and are shorter.
Json short_number(double value) {
  if (!std::isfinite(value)) return {};
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

/// Texts by their place in a list, each once.
class Numbered {
 public:
  size_t place(const std::string& text) {
    const auto [at, fresh] = places_.emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return at->second;
  }
  const Json& texts() const { return texts_; }

 private:
  ByName<size_t> places_;
  Json texts_ = Json::array();
};

/// A knob's values: first those in the space, then those that trials took from an earlier space.
struct KnobColumn {
  const Knob& knob;
  Numbered values = {};
  Json trials = Json::array();
};
using KnobColumns = std::vector<KnobColumn>;

KnobColumns knob_columns(const StudyResult& result) {
  KnobColumns columns;
  for (const Knob& knob : result.space.knobs) {
    columns.push_back({knob});
    for (const Value& value : knob.values) columns.back().values.place(to_text(value));
    for (const Trial& trial : result.trials)
      columns.back().trials.push_back(
          trial.configuration.has(knob.name)
              ? Json(columns.back().values.place(to_text(trial.configuration.at(knob.name))))
              : Json());
  }
  return columns;
}

/// All samples in small studies, each trial's first few in large ones.
Json samples_json(const Trial& trial, size_t most) {
  Json json = Json::array();
  if (!trial.measurement) return json;
  for (const Sample& one : std::views::take(trial.measurement->samples, most))
    json.push_back(short_number(one.clean() ? one.seconds : -one.seconds));
  return json;
}

Json trials_json(const StudyResult& result, const KnobColumns& knobs) {
  constexpr size_t all_samples = 60000, fewest = 4;
  const size_t most = std::max(fewest, all_samples / std::max<size_t>(1, result.trials.size()));
  Json json;
  Numbered details;
  const auto column = [&](const char* name, const auto& figure) {
    Json& values = json[name] = Json::array();
    for (const Trial& trial : result.trials) values.push_back(figure(trial));
  };
  const auto time = [&](const char* name, double Estimate::*end) {
    column(name, [&](const Trial& trial) {
      return trial.ok() ? short_number(trial.measurement->seconds.*end) : Json();
    });
  };
  column("index", [](const Trial& trial) { return trial.index; });
  column("outcome", [](const Trial& trial) { return int(trial.outcome); });
  time("seconds", &Estimate::value);
  time("low", &Estimate::low);
  time("high", &Estimate::high);
  for (const auto& [name, part] : {std::pair("build", &Cost::build),
                                   {"validate", &Cost::validate},
                                   {"time", &Cost::time},
                                   {"total", &Cost::total}})
    column(name, [part = part](const Trial& trial) { return short_number(trial.cost.*part); });
  column("detail", [&](const Trial& trial) { return details.place(trial.detail); });
  column("samples", [&](const Trial& trial) { return samples_json(trial, most); });
  json["details"] = details.texts();
  json["outcomes"] = Json::array();
  for (const Outcome outcome : enumerators<Outcome>()) json["outcomes"].push_back(to_text(outcome));
  Json& values = json["knobs"] = Json::object();
  for (const KnobColumn& one : knobs) values[one.knob.name] = one.trials;
  for (const Trial& trial : result.trials)
    if (trial.measurement)
      for (const auto& [name, value] : trial.measurement->figures)
        json["figures"][name][std::to_string(trial.index)] = short_number(value);
  return json;
}

Json knobs_json(const KnobColumns& columns) {
  return members(columns, [](const KnobColumn& column) {
    return Json{{"name", column.knob.name},
                {"kind", to_text(column.knob.kind)},
                {"values", column.values.texts()},
                {"default", to_text(column.knob.fallback)},
                {"breaks", words(column.knob.breaks)},
                {"doc", column.knob.doc}};
  });
}

Json commands_json(const StudyResult& result) {
  const std::string& id = result.header.id;
  const bool program = result.header.backend == command_backend;
  const std::string target = program ? "json -o " + result.header.kernel + ".json"
                                     : "library -o tuned_" + result.header.kernel;
  Json commands{{"tune", joined(result.setup.command, " ")},
                {"explain", "tune explain TRIAL --study " + id},
                {"export", fmt::format("tune export --study {} --format {}", id, target)}};
  // A program's source and its competitors are unknown here, so `tune bench` has nothing to do.
  if (!program) commands["bench"] = fmt::format("tune bench --study {} --trial TRIAL", id);
  return commands;
}

}  // namespace

Json study_view(const StudyResult& result) {
  const KnobColumns knobs = knob_columns(result);
  return {{"result", to_json(result)},
          {"knobs", knobs_json(knobs)},
          {"trials", trials_json(result, knobs)},
          {"commands", commands_json(result)}};
}

}  // namespace rooftune::report
