// The answer for several inputs as text, table and page.
#include <fmt/format.h>

#include "core/fields.h"
#include "report/figures.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

std::string over_bound(const std::optional<Estimate>& seconds, const Bound& bound) {
  return seconds ? ratio_text(seconds->value / bound.time.value()) : "-";
}

Json gap_json(const std::optional<Estimate>& seconds, const Bound& bound) {
  if (!seconds) return {};
  const double time = bound.time.value();
  return encode(Estimate{seconds->value / time, seconds->low / time, seconds->high / time});
}

Json row_json(const InputRow& row) {
  return {
      {"name", row.name},
      {"problem", facts_json(row.problem)},
      {"bound", {{"seconds", row.bound.time.value()}, {"ceiling", row.bound.ceiling}}},
      {"baseline", {{"seconds", encode(row.baseline)}, {"gap", gap_json(row.baseline, row.bound)}}},
      {"best", {{"seconds", encode(row.best)}, {"gap", gap_json(row.best, row.bound)}}},
      {"speedup", encode(row.speedup)}};
}

}  // namespace

std::string inputs_sentence(const InputsAnswer& answer) {
  const std::string aim = described(answer.aim);
  std::string text = fmt::format("One configuration for {} inputs: ", answer.rows.size());
  if (!answer.gap) return text + "none could be measured on all of them.";
  text += answer.speedup
              ? fmt::format("{} faster than the baseline, ", ratio_interval(*answer.speedup))
              : std::string("the baseline is the best that was found, ");
  return text + fmt::format("{} is {}.", aim, ratio_interval(*answer.gap));
}

HtmlTable inputs_table(const InputsAnswer& answer) {
  HtmlTable table{.head = {{"input"},
                           number_head("bound"),
                           number_head("best"),
                           number_head("gap"),
                           number_head("baseline"),
                           number_head("gap"),
                           number_head("faster", page_only)}};
  const auto time = [](const std::optional<Estimate>& seconds, Ink ink) {
    return HtmlCell{.text = seconds ? seconds_interval(*seconds) : "-",
                    .classes = "n",
                    .brief = seconds ? seconds_text(seconds->value) : "",
                    .ink = ink};
  };
  for (const InputRow& row : answer.rows) {
    const bool shown = table.rows.size() == answer.shown;
    table.rows.push_back(
        {{.text = fmt::format("{} {}", table.rows.size() + 1, row.name),
          .classes = "w",
          .ink = shown ? Ink::strong : Ink::none},
         {seconds_text(row.bound.time.value()), "n"},
         time(row.best, Ink::green),
         {.text = over_bound(row.best, row.bound), .classes = "n", .ink = Ink::green},
         time(row.baseline, Ink::none),
         {over_bound(row.baseline, row.bound), "n"},
         {row.speedup ? ratio_interval(*row.speedup) : "-", "n"}});
  }
  return table;
}

std::string shown_input_sentence(const InputsAnswer& answer) {
  return fmt::format("What follows is input {} ({}); tune report --input N shows another",
                     answer.shown + 1, answer.rows[answer.shown].name);
}

Json to_json(const InputsAnswer& answer) {
  Json rows = Json::array();
  for (const InputRow& row : answer.rows) rows.push_back(row_json(row));
  return {{"objective", to_text(answer.aim)},  {"inputs", rows},
          {"gap", encode(answer.gap)},         {"baseline_gap", encode(answer.baseline_gap)},
          {"speedup", encode(answer.speedup)}, {"shown", answer.shown + 1}};
}

}  // namespace rooftune::report
