#include "report/inputs_answer.h"

#include <fmt/format.h>

#include "core/estimate_json.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/terminal.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

std::string over_bound(const std::optional<Estimate>& seconds, const Bound& bound) {
  return seconds ? ratio_text(seconds->value / bound.time.value()) : "-";
}

std::string time_text(const std::optional<Estimate>& seconds) {
  return seconds ? seconds_text(seconds->value) : "-";
}

std::string ratio_or(const std::optional<Estimate>& ratio, const std::string& otherwise) {
  return ratio ? ratio_interval(*ratio) : otherwise;
}

bool is_same(const Estimate& gain) { return gain == Estimate::exact(1); }

std::string gain_text(const InputRow& row) {
  if (!row.gain) return "unknown: " + row.no_gain_because;
  return is_same(*row.gain) ? "it is the common one" : ratio_interval(*row.gain);
}

Json gap_json(const std::optional<Estimate>& seconds, const Bound& bound) {
  if (!seconds) return {};
  const double time = bound.time.value();
  return {{"value", seconds->value / time},
          {"low", seconds->low / time},
          {"high", seconds->high / time}};
}

Json row_json(const InputRow& row) {
  Json problem = Json::object();
  for (const auto& [name, value] : row.problem) problem[name] = to_json(value);
  return {
      {"name", row.name},
      {"problem", problem},
      {"bound", {{"seconds", row.bound.time.value()}, {"ceiling", row.bound.ceiling}}},
      {"baseline",
       {{"seconds", estimate_or_null(row.baseline)}, {"gap", gap_json(row.baseline, row.bound)}}},
      {"best", {{"seconds", estimate_or_null(row.best)}, {"gap", gap_json(row.best, row.bound)}}},
      {"speedup", estimate_or_null(row.speedup)},
      {"own", row.own ? to_json(*row.own) : Json()},
      {"gain", estimate_or_null(row.gain)},
      {"no_gain_because", row.no_gain_because}};
}

}  // namespace

std::string gain_sentence(const InputsAnswer& answer) {
  if (!answer.gain) return "what a choice per input would gain was not measured";
  if (is_same(*answer.gain)) return "the best of every input is this one";
  if (answer.gain->low <= 1)
    return fmt::format("a choice per input would gain nothing beyond the noise ({})",
                       ratio_interval(*answer.gain));
  return fmt::format("a choice per input would gain {}", ratio_interval(*answer.gain));
}

std::string inputs_sentence(const InputsAnswer& answer) {
  const std::string aim = described(answer.aim);
  std::string text = fmt::format("One configuration for {} inputs: ", answer.rows.size());
  if (!answer.gap) return text + "none could be measured on all of them.";
  text += answer.speedup
              ? fmt::format("{} faster than the baseline, ", ratio_interval(*answer.speedup))
              : std::string("the baseline is the best that was found, ");
  return text +
         fmt::format("{} is {}; {}.", aim, ratio_interval(*answer.gap), gain_sentence(answer));
}

std::string inputs_table(const InputsAnswer& answer, const TerminalStyle& style) {
  TextTable table(style.width);
  table.row({{"", Ink::faint},
             {"bound", Ink::faint, true},
             {"best", Ink::faint, true},
             {"gap", Ink::faint, true},
             {"baseline", Ink::faint, true},
             {"gap", Ink::faint, true},
             {"own best gains", Ink::faint}});
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    const InputRow& row = answer.rows[i];
    table.row({{fmt::format("{} {}", i + 1, row.name), i == answer.shown ? Ink::strong : Ink::none},
               {seconds_text(row.bound.time.value()), Ink::none, true},
               {time_text(row.best), Ink::green, true},
               {over_bound(row.best, row.bound), Ink::green, true},
               {time_text(row.baseline), Ink::none, true},
               {over_bound(row.baseline, row.bound), Ink::none, true},
               {gain_text(row)}});
  }
  return table.str(style.colour, std::max(16, style.width / 4));
}

void inputs_section(Markup& page, const InputsAnswer& answer, const Configuration& common) {
  html_heading(page, "The inputs");
  html_paragraph(page, inputs_sentence(answer));
  HtmlTable table;
  table.head = {{"input", "n"},
                {"problem"},
                {"bound", "n"},
                {"best", "n"},
                {"gap", "n"},
                {"baseline", "n"},
                {"gap", "n"},
                {"faster", "n"},
                {"own best would gain", "n"},
                {"own best against the common one"}};
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    const InputRow& row = answer.rows[i];
    table.rows.push_back({{std::to_string(i + 1), "n"},
                          {row.name, "w"},
                          {seconds_text(row.bound.time.value()), "n"},
                          {row.best ? seconds_interval(*row.best) : "-", "n"},
                          {over_bound(row.best, row.bound), "n"},
                          {row.baseline ? seconds_interval(*row.baseline) : "-", "n"},
                          {over_bound(row.baseline, row.bound), "n"},
                          {ratio_or(row.speedup, "-"), "n"},
                          {gain_text(row), "n"},
                          {row.own ? difference_text(*row.own, common) : "", "w"}});
  }
  html_table(page, table);
  html_paragraph(page,
                 fmt::format("The rest of this page is about input {} ({}); tune report --input N "
                             "draws another.",
                             answer.shown + 1, answer.rows[answer.shown].name));
}

Json to_json(const InputsAnswer& answer) {
  Json rows = Json::array();
  for (const InputRow& row : answer.rows) rows.push_back(row_json(row));
  return {{"objective", to_text(answer.aim)},
          {"inputs", rows},
          {"gap", estimate_or_null(answer.gap)},
          {"baseline_gap", estimate_or_null(answer.baseline_gap)},
          {"speedup", estimate_or_null(answer.speedup)},
          {"gain", estimate_or_null(answer.gain)},
          {"shown", answer.shown + 1}};
}

}  // namespace rooftune::report
