// Sweep pages: all kernels tonight, and each series over its nights.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/list.h"
#include "core/version.h"
#include "report/figures.h"
#include "report/markup.h"
#include "sweep/formats.h"
#include "sweep/site_resources.h"

namespace rooftune::sweep {
namespace {

constexpr PageExtras site_extras{{site_style, site_style_hash}};

/// "2026-11-23 16:10".
std::string night_time(const Night& night) {
  std::string text = night.date.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string page_of(const Series& series, const char* folder = series_folder) {
  return fmt::format("{}/{}.html", folder, series.key);
}

/// The ceiling's rate, as "29.7 GB/s".
std::string rate_of(const Night& night) {
  return rate_text(night.ceiling_rate.value_or(0), amount_unit(night.ceiling_unit));
}

std::string limit_text(const Night& night) {
  if (night.ceiling.empty() || !night.ceiling_rate) return night.ceiling;
  return night.ceiling + ", " + rate_of(night);
}

/// Why to look at a row; empty when all is unchanged.
std::string what_happened(const Night& night) {
  if (night.failed()) return night.message;
  if (night.verdict && night.verdict->finding != Standing::none) return night.verdict->sentence;
  if (!night.conclusive()) return night.inconclusive.front();
  std::string text;
  for (const auto& [name, doubts] :
       {std::pair("speed-up", &night.doubts.speedup), {"gap", &night.doubts.gap}})
    if (!doubts->empty())
      join(text, fmt::format("{} in doubt: {}", name, joined(*doubts, "; ")), "; ");
  return text;
}

/// A ratio, "?" behind a doubtful one.
HtmlCell doubted_cell(const std::optional<double>& ratio, const Texts& doubts) {
  if (!ratio) return {"-", "n"};
  return number_cell(*ratio, ratio_text(*ratio) + (doubts.empty() ? "" : " ?"));
}

HtmlRow tonight_row(const NightOf& one, const TextSet& studies) {
  const auto& [series, night] = one;
  const HtmlCell none{"-", "n"};
  const auto link = [](const std::string& text, const std::string& target) {
    return HtmlCell{text, "", "", false, target};
  };
  HtmlRow row{
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
    row.push_back(link("page", page_of(series, studies_folder)));
  else if (!studies.empty())
    row.emplace_back();
  return row;
}

/// The rows' sort key, the most urgent first.
Standing urgency(const Night& night) { return std::min(night.standing(), Standing::none); }

void tonight_table(Markup& page, const std::vector<NightOf>& nights, const TextSet& studies) {
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
  stable_sort(rows, {}, [](const NightOf* one) { return urgency(one->night); });
  for (const NightOf* one : rows) table.rows.push_back(tonight_row(*one, studies));
  html_table(page, table);
}

const char* const trend_key =
    "Blue: time per call. Green dashes: the accepted baseline. Crosses: failed. Diamonds: another "
    "compiler.";

void series_links(Markup& page, const SweepHistory& history) {
  html_heading(page, fmt::format("{} series", history.series.size()));
  page.open("ul");
  for (const Series& series : history.series)
    page.open("li").element("a", {{"href", page_of(series)}}, series_name(series)).close();
  page.close_line();
}

/// "12 studies in the newest sweep of each plan: 1 regressed, 2 failed."
std::string summary(const std::vector<NightOf>& nights) {
  std::map<Standing, int> counts;
  for (const NightOf& one : nights) ++counts[one.night.standing()];
  Texts parts;
  for (const auto& [standing, count] : counts)
    if (standing < Standing::first) parts.push_back(fmt::format("{} {}", count, word(standing)));
  return fmt::format("{} studies in the newest sweep of each plan{}{}.", nights.size(),
                     parts.empty() ? "" : ": ", joined(parts));
}

std::string index_page(const SweepHistory& history, const TextSet& studies,
                       const std::string& date) {
  const auto nights = newest_nights(history);
  std::string last;
  for (const NightOf& one : nights) last = std::max(last, night_time(one.night));
  Markup page;
  html_begin(page, "Sweeps", site_extras);
  page.element("h1", {}, "How far every kernel is from its limit").newline();
  html_paragraph(page, "Newest night: " + last + " UTC.", "sub");
  html_paragraph(page, summary(nights));
  for (const std::string& fault : history.faults)
    html_paragraph(page, "Not read: " + fault, "note alarm");
  tonight_table(page, nights, studies);
  series_links(page, history);
  return html_end(page, version, date, site_extras);
}

/// What changed since the night before; empty if nothing did.
std::string news(const Series& series, size_t i) {
  const Night& night = series.nights[i];
  if (night.failed()) return night.message;
  std::string text;
  const auto add = [&](const std::string& more) { join(text, more, "; "); };
  const Night* before = nullptr;
  for (size_t j = i; j-- > 0 && !before;)
    if (!series.nights[j].failed()) before = &series.nights[j];
  if (!before || before->compiler != night.compiler) add(night.compiler);
  if (!night.revision.empty() && (!before || before->revision != night.revision))
    add("revision " + night.revision);
  if (!before || before->version != night.version) add("rooftune " + night.version);
  if (!before || before->ceiling != night.ceiling) add("limited by " + night.ceiling);
  if (!night.configuration.is_null() && (!before || before->configuration != night.configuration))
    add(json_text(night.configuration));
  for (const std::string& reason : night.inconclusive) add(reason);
  return text;
}

/// A short number_cell, for tables with thousands of rows: sorted by four digits.
HtmlCell short_cell(const std::optional<double>& value, const std::string& text) {
  return value ? HtmlCell{text, "n", fmt::format("{:.4g}", *value)} : HtmlCell{"-", "n"};
}

void nights_table(Markup& page, const Series& series) {
  html_heading(page, fmt::format("{} nights, the newest first", series.nights.size()));
  HtmlTable table;
  table.sortable = true;
  table.head = {{"night"},   {"time per call", "n"},           {"gap", "n"}, {"ceiling", "n"},
                {"verdict"}, {"what is new, or what happened"}};
  for (size_t i = series.nights.size(); i-- > 0;) {
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
  html_begin(page, series_name(series), site_extras);
  page.open("p").element("a", {{"href", "../index.html"}}, "All kernels");
  if (has_study)
    page.text(" | ").element("a", {{"href", "../" + page_of(series, studies_folder)}},
                             "Page of the newest study");
  page.close_line();
  page.element("h1", {}, series_name(series)).newline();
  page.open("div", {{"class", "wide"}});
  trend_svg(page, series);
  page.close_line();
  html_paragraph(page, trend_key, "key");
  if (const Acceptance* const baseline = series.baseline())
    html_paragraph(
        page, fmt::format("Baseline: {}, accepted {} by {}. {}",
                          seconds_interval(baseline->seconds), baseline->date,
                          baseline->who.empty() ? "nobody named" : baseline->who, baseline->why));
  nights_table(page, series);
  html_heading(page, "Identity");
  html_definitions(page, {{"series", series.key}, {"machine id", series.machine_id}});
  return html_end(page, version, date, site_extras);
}

}  // namespace

NamedTexts sweep_site(const SweepHistory& history, const TextSet& studies,
                      const std::string& date) {
  NamedTexts files;
  files["index.html"] = index_page(history, studies, date);
  for (const Series& series : history.series)
    files[page_of(series)] = series_page(series, studies.count(series.key) > 0, date);
  return files;
}

}  // namespace rooftune::sweep
