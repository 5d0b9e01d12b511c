#include "sweep/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/text.h"
#include "core/version.h"
#include "report/figures.h"
#include "report/html.h"
#include "sweep/formats.h"
#include "sweep/site_resources.h"

namespace rooftune::sweep {
namespace {

constexpr PageExtras extras_of_series{{site_style, site_style_hash}};
constexpr PageExtras extras_of_index{extras_of_series.style, {site_script, site_script_hash}};

/// "2026-11-23 16:10".
std::string night_time(const Night& night) {
  std::string text = night.date.substr(0, 16);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string page_of(const Series& series) {
  return fmt::format("{}/{}.html", series_folder, series.key);
}

/// Text for the words of the filter.
std::string searched(const Series& series, const Night& night) {
  return lower_case(
      fmt::format("{} {} is:{}", series_name(series), night.ceiling, word(night.standing())));
}

/// Classes of the heat map: up to this gap each, the last for all above.
constexpr std::array<double, 6> heat_steps{1.05, 1.1, 1.25, 1.5, 2, 4};

std::string heat_class(double gap) {
  const auto step = std::lower_bound(heat_steps.begin(), heat_steps.end(), gap);
  return fmt::format("g{}", step - heat_steps.begin());
}

void heat_legend(Markup& page) {
  page.open("p", {{"class", "legend"}});
  for (std::size_t i = 0; i <= heat_steps.size(); ++i)
    page.element("span", {{"class", fmt::format("g{}", i)}},
                 i < heat_steps.size() ? fmt::format("up to {:g}", heat_steps[i])
                                       : fmt::format("over {:g}", heat_steps.back()));
  page.element("span", {{"class", "gx"}}, "failed").close().newline();
}

/// Cells of the heat map: the newest nights of one kernel on one machine.
using HeatRow = std::map<std::string, std::vector<NightOf>>;

void heat_cell(Markup& page, const std::vector<NightOf>& nights) {
  // The farthest from its bound stands for all problems and back ends.
  const NightOf* worst = nullptr;
  bool failed = false;
  for (const NightOf& one : nights) {
    failed = failed || one.night.failed();
    if (!worst || one.night.gap.value_or(0) > worst->night.gap.value_or(0)) worst = &one;
  }
  const auto gap = worst->night.gap;
  const std::string value = gap ? significant(*gap, 3) : failed ? "failed" : "-";
  std::string hover = series_name(worst->series);
  if (nights.size() > 1) hover += fmt::format(", the largest gap of {}", nights.size());
  page.open("td", {{"class", gap ? heat_class(*gap) : "gx"},
                   {"data-v", gap ? fmt::format("{:.9g}", *gap) : "0"}});
  page.element("a", {{"href", page_of(worst->series)}, {"title", hover}},
               value + (gap && failed ? " !" : ""));
  page.close();
}

void heat_map(Markup& page, const std::vector<NightOf>& nights) {
  std::map<std::string, HeatRow> rows;
  std::map<std::string, std::string> texts;
  std::set<std::string> machines;
  for (const NightOf& one : nights) {
    machines.insert(one.series.machine);
    rows[one.series.kernel][one.series.machine].push_back(one);
    texts[one.series.kernel] += searched(one.series, one.night) + ' ';
  }
  html_heading(page, "Gap of every kernel on every machine");
  html_paragraph(page,
                 "Time of the best over the least time that the machine allows; 1 is the "
                 "limit. Of several problems the farthest from it.",
                 "sub");
  heat_legend(page);
  page.open("div", {{"class", "scroll"}}).open("table", {{"class", "heat slim sortable"}});
  page.open("thead").open("tr").element("th", {}, "kernel");
  for (const std::string& machine : machines)
    page.element("th", {}, machine.empty() ? "no machine" : machine);
  page.close().close().newline().open("tbody").newline();
  for (const auto& [kernel, cells] : rows) {
    page.open("tr", {{"data-s", texts[kernel]}}).element("th", {}, kernel);
    for (const std::string& machine : machines)
      if (const auto cell = cells.find(machine); cell != cells.end())
        heat_cell(page, cell->second);
      else
        page.element("td", {{"data-v", "0"}}, "");
    page.close().newline();
  }
  page.close().close().close().newline();
}

/// The ceiling's rate, as "29.7 GB/s".
std::string rate_of(const Night& night) {
  return rate_text(night.ceiling_rate.value_or(0), amount_unit(night.ceiling_unit));
}

std::string limit_text(const Night& night) {
  if (night.ceiling.empty() || !night.ceiling_rate) return night.ceiling;
  return night.ceiling + ", " + rate_of(night);
}

/// Reason to look at a row; empty when all is unchanged.
std::string what_happened(const Night& night) {
  if (night.failed()) return night.message;
  if (night.verdict && night.verdict->finding != Standing::none) return night.verdict->sentence;
  for (const ExportVerdict& one : night.exports)
    if (one.finding != ExportFinding::same && one.finding != ExportFinding::no_better)
      return sentence_of(one);
  if (!night.conclusive()) return night.inconclusive.front();
  std::string text;
  for (const auto& [name, doubts] :
       {std::pair("speed-up", &night.doubts.speedup), {"gap", &night.doubts.gap}})
    if (!doubts->empty())
      text += fmt::format("{}{} in doubt: {}", text.empty() ? "" : "; ", name,
                          fmt::join(*doubts, "; "));
  return text;
}

/// A ratio, "?" behind a doubtful one.
HtmlCell doubted_cell(const std::optional<double>& ratio, const std::vector<std::string>& doubts) {
  if (!ratio) return {"-", "n"};
  return number_cell(*ratio, ratio_text(*ratio) + (doubts.empty() ? "" : " ?"));
}

std::vector<HtmlCell> tonight_row(const NightOf& one, const std::set<std::string>& studies) {
  const auto& [series, night] = one;
  const HtmlCell none{"-", "n"};
  const auto link = [](const std::string& text, const std::string& target) {
    return HtmlCell{text, "", "", false, target};
  };
  std::vector<HtmlCell> row{
      link(series.kernel, page_of(series)),
      {series.machine},
      {comparison_text(one), verdict_word(night)},
      doubted_cell(night.gap, night.doubts.gap),
      night.seconds ? number_cell(night.seconds->value, seconds_text(night.seconds->value)) : none,
      doubted_cell(night.speedup, night.doubts.speedup),
      {limit_text(night)},
      {series.backend + (series.problem.empty() ? "" : ", ") + series.problem, "w"},
      {what_happened(night), "w"}};
  if (studies.count(series.key))
    row.push_back(link("page", fmt::format("{}/{}.html", studies_folder, series.key)));
  else if (!studies.empty())
    row.emplace_back();
  return row;
}

/// Order of the rows, the most urgent first.
Standing urgency(const Night& night) { return std::min(night.standing(), Standing::none); }

void tonight_table(Markup& page, const std::vector<NightOf>& nights,
                   const std::set<std::string>& studies) {
  html_heading(page, "Tonight");
  html_paragraph(page, "What needs a look first. A click on a heading sorts.", "sub");
  HtmlTable table;
  table.sortable = true;
  table.head = {{"kernel"},      {"machine"},      {"verdict"},
                {"gap", "n"},    {"best", "n"},    {"speed-up", "n"},
                {"what limits"}, {"problem", "p"}, {"what happened", "p"}};
  if (!studies.empty()) table.head.push_back({"study"});
  std::vector<const NightOf*> rows;
  for (const NightOf& one : nights) rows.push_back(&one);
  std::stable_sort(rows.begin(), rows.end(), [](const NightOf* a, const NightOf* b) {
    return urgency(a->night) < urgency(b->night);
  });
  for (const NightOf* one : rows) {
    table.rows.push_back(tonight_row(*one, studies));
    table.row_searches.push_back(searched(one->series, one->night));
  }
  html_table(page, table);
}

void filter_form(Markup& page, const std::vector<NightOf>& nights) {
  page.open("form", {{"id", "filter"}, {"class", "filter"}, {"hidden", "hidden"}}).newline();
  page.empty("input", {{"id", "words"},
                       {"type", "search"},
                       {"aria-label", "Show only what has all of these words"},
                       {"placeholder", "kernel, machine, problem, ceiling"}});
  page.open("select", {{"id", "verdict"}, {"aria-label", "Show only this verdict"}});
  page.element("option", {{"value", ""}}, "all verdicts");
  std::set<Standing> standings;
  for (const NightOf& one : nights) standings.insert(one.night.standing());
  standings.erase(Standing::unjudged);
  for (const Standing standing : standings)
    page.element("option", {{"value", fmt::format("is:{}", word(standing))}}, spoken(standing));
  page.close().element("output", {{"id", "shown"}}, "").close().newline();
}

const char* const trend_key =
    "Blue: time per call, on a series' own page with its interval. Black: gap; dashed: what the "
    "ceiling that binds gave in that night. "
    "Green dashes: the accepted baseline. Crosses: failed. Diamonds: another compiler.";

void trends(Markup& page, const SweepHistory& history) {
  html_heading(page, fmt::format("{} series", history.series.size()));
  html_paragraph(page, trend_key, "key");
  page.open("div", {{"class", "trends"}}).newline();
  for (const Series& series : history.series) {
    const Night& last = series.nights.back();
    page.open("section", {{"class", "trend"}, {"data-s", searched(series, last)}});
    page.open("h3").element("a", {{"href", page_of(series)}}, series.kernel).close();
    const std::string name = series_name(series);
    page.element("p", {{"class", "sub"}},
                 name.size() > series.kernel.size() ? name.substr(series.kernel.size() + 1) : "");
    trend_svg(page, series, small_trend);
    page.close().newline();
  }
  page.close().newline();
}

void summary_cards(Markup& page, const std::vector<NightOf>& nights) {
  std::map<Standing, int> counts;
  for (const NightOf& one : nights) ++counts[one.night.standing()];
  page.open("div", {{"class", "cards"}});
  const auto show = [&](int count, const char* name, const char* classes) {
    page.open("div", {{"class", "card"}})
        .element("b", {{"class", count ? classes : ""}}, std::to_string(count))
        .element("span", {}, name)
        .close();
  };
  show(static_cast<int>(nights.size()), "studies in the newest sweep of each plan", "");
  for (const Standing standing : {Standing::regressed, Standing::failed, Standing::inconclusive,
                                  Standing::machine, Standing::improved, Standing::better})
    show(counts[standing], word(standing), word(standing));
  page.close().newline();
}

std::string index_page(const SweepHistory& history, const std::set<std::string>& studies,
                       const std::string& date) {
  const auto nights = newest_nights(history);
  std::string last;
  for (const NightOf& one : nights) last = std::max(last, night_time(one.night));
  Markup page;
  html_begin(page, "Sweeps", extras_of_index);
  page.element("h1", {}, "How far every kernel is from its limit").newline();
  html_paragraph(page, "Newest night: " + last + " UTC.", "sub");
  summary_cards(page, nights);
  for (const std::string& fault : history.faults)
    html_paragraph(page, "Not read: " + fault, "note alarm");
  filter_form(page, nights);
  heat_map(page, nights);
  tonight_table(page, nights, studies);
  trends(page, history);
  return html_end(page, version, date, extras_of_index);
}

/// Changes since the night before; empty without any.
std::string news(const Series& series, std::size_t i) {
  const Night& night = series.nights[i];
  if (night.failed()) return night.message;
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  const Night* before = nullptr;
  for (std::size_t j = i; j-- > 0 && !before;)
    if (!series.nights[j].failed()) before = &series.nights[j];
  if (!before || before->compiler != night.compiler) add(night.compiler);
  if (!night.revision.empty() && (!before || before->revision != night.revision))
    add("revision " + night.revision);
  if (!before || before->version != night.version) add("rooftune " + night.version);
  if (!before || before->ceiling != night.ceiling) add("limited by " + night.ceiling);
  if (!night.configuration.is_null() && (!before || before->configuration != night.configuration))
    add(json_text(night.configuration));
  for (const ExportVerdict& one : night.exports)
    if (one.finding == ExportFinding::better) add(sentence_of(one));
  for (const std::string& reason : night.inconclusive) add(reason);
  return text;
}

/// number_cell for tables with thousands of rows: sorted by four digits.
HtmlCell short_cell(const std::optional<double>& value, const std::string& text) {
  return value ? HtmlCell{text, "n", fmt::format("{:.4g}", *value)} : HtmlCell{"-", "n"};
}

void nights_table(Markup& page, const Series& series) {
  html_heading(page, fmt::format("{} nights, the newest first", series.nights.size()));
  HtmlTable table;
  table.sortable = true;
  table.head = {{"night"},   {"time per call", "n"},           {"gap", "n"}, {"ceiling", "n"},
                {"verdict"}, {"what is new, or what happened"}};
  for (std::size_t i = series.nights.size(); i-- > 0;) {
    const Night& night = series.nights[i];
    table.rows.push_back(
        {{night_time(night), "d"},
         short_cell(night.seconds ? std::optional(night.seconds->value) : std::nullopt,
                    night.seconds ? seconds_interval(*night.seconds) : ""),
         short_cell(night.gap, ratio_text(night.gap.value_or(0))),
         short_cell(night.ceiling_rate, rate_of(night)),
         {comparison_text({series, night}), verdict_word(night)},
         {news(series, i), "w"}});
  }
  html_table(page, table);
}

std::string series_page(const Series& series, bool has_study, const std::string& date) {
  Markup page;
  html_begin(page, series_name(series), extras_of_series);
  page.open("p").element("a", {{"href", "../index.html"}}, "All kernels");
  if (has_study)
    page.text(" | ").element("a",
                             {{"href", fmt::format("../{}/{}.html", studies_folder, series.key)}},
                             "Page of the newest study");
  page.close().newline();
  page.element("h1", {}, series_name(series)).newline();
  page.open("div", {{"class", "wide"}});
  trend_svg(page, series, large_trend);
  page.close().newline();
  html_paragraph(page, trend_key, "key");
  if (const Acceptance* const baseline = series.baseline())
    html_paragraph(
        page, fmt::format("Baseline: {}, accepted {} by {}. {}",
                          seconds_interval(baseline->seconds), baseline->date,
                          baseline->who.empty() ? "nobody named" : baseline->who, baseline->why));
  nights_table(page, series);
  html_heading(page, "Identity");
  html_definitions(page, {{"series", series.key}, {"machine id", series.machine_id}});
  return html_end(page, version, date, extras_of_series);
}

}  // namespace

std::map<std::string, std::string> sweep_site(const SweepHistory& history,
                                              const std::set<std::string>& studies,
                                              const std::string& date) {
  std::map<std::string, std::string> files;
  files["index.html"] = index_page(history, studies, date);
  for (const Series& series : history.series)
    files[page_of(series)] = series_page(series, studies.count(series.key) > 0, date);
  return files;
}

}  // namespace rooftune::sweep
