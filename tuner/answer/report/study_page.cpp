// The page of a study: the answer, the chart, the knobs and the trials, and below them the
// evidence; and the page of trials that another tuner recorded.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/version.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/study_resources.h"

namespace rooftune::report {
namespace {

constexpr PageExtras extras{{study_style, study_style_hash}, {study_script, study_script_hash}};

/// A small mark after a figure; its reasons show on hover, focus and tap.
void doubt_mark(Markup& page, const std::vector<std::string>& doubts) {
  if (doubts.empty()) return;
  const std::string text = fmt::format("{}", fmt::join(doubts, "; "));
  page.open("button", {{"type", "button"}, {"class", "doubt"}, {"aria-label", "in doubt: " + text}})
      .text("?")
      .element("span", {}, text)
      .close();
}

void headline_section(Markup& page, const StudyResult& result, const std::vector<Claim>& said) {
  html_paragraph(page, study_sentence(result), "kicker");
  page.open("h1").text(headline(said));
  doubt_mark(page, doubts(said));
  page.close().newline();
}

/// `word`: an entry of the page's glossary, empty for none.
void card(Markup& page, const std::string& value, const std::string& name, const std::string& word,
          const std::vector<std::string>& doubts = {}) {
  page.open("div", {{"class", "card"}}).open("b").text(value);
  doubt_mark(page, doubts);
  page.close();
  if (word.empty())
    page.element("span", {}, name);
  else
    page.element("a", {{"href", "#word-" + word}}, name);
  page.close().newline();
}

void cards(Markup& page, const StudyResult& result) {
  page.open("div", {{"class", "cards"}}).newline();
  const Performance speed = performance(result.roofline.work);
  // The interval in words, where it is wide.
  const auto doubt_of = [](const Estimate& figure, const std::string& range) {
    return std::vector<std::string>(figure.high > 1.25 * figure.low ? 1 : 0,
                                    "the 95 % interval is " + range);
  };
  const auto time = [&](const Estimate& seconds, const std::string& name, const char* word) {
    card(page, figure_text(result.own_figure, seconds.value), name, word,
         doubt_of(seconds, result.own_figure ? figure_interval(result.own_figure, seconds)
                                             : seconds_range(seconds)));
  };
  if (result.best) {
    const Estimate& seconds = result.best->seconds;
    time(seconds, figure_name(result.own_figure) + (result.own_figure ? ": " : " of ") + "the best",
         "");
    if (!result.own_figure)
      card(page, rate_text(speed.rate(seconds.value), speed.unit), "its speed", "speed",
           doubt_of(seconds, seconds_range(seconds)));
  }
  if (result.baseline) time(result.baseline->seconds, "the baseline", "baseline");
  const Bound& bound = result.bound;
  if (bound.known())
    time({bound.time.value(), bound.low.value(), bound.high.value()},
         "bound, by " + limit_name(result), "bound");
  card(page, std::to_string(result.trials.size()),
       "trials in " + duration_text(std::max(result.waited, result.cost.total)), "trial");
  page.close().newline();
}

/// The name of a claim's line, linked where the glossary has the word.
void claim_word(Markup& page, const Claim& claim) {
  const std::string link = glossary_link(glossary_word(claim));
  page.open("dt");
  if (link.empty())
    page.text(label_of(claim));
  else
    page.element("a", {{"href", link}}, label_of(claim));
  page.close();
}

void answer_section(Markup& page, const StudyResult& result) {
  const std::vector<Claim> said = claims(result);
  headline_section(page, result, said);
  html_table(page, staircase_table(result));
  if (const Claim* const more = claim_of(said, Claim::Kind::more))
    html_paragraph(page, words_of(*more) + ".", "sub");
  page.open("dl", {{"class", "answer"}});
  for (const Claim& claim : said)
    if (!label_of(claim).empty()) {
      claim_word(page, claim);
      page.element("dd", {}, words_of(claim)).newline();
    }
  page.close().newline();
  cards(page, result);
  for (const std::string& flag : result.flags)
    html_paragraph(page, "Contradiction. " + flag + ".", "note alarm");
  page.open("div", {{"id", "tools"}, {"class", "buttons"}}).text("").close().newline();
}

void inputs_section(Markup& page, const StudyResult& result) {
  html_heading(page, "The inputs");
  html_paragraph(page, inputs_sentence(*result.inputs));
  html_table(page, inputs_table(*result.inputs));
  html_paragraph(page, shown_input_sentence(*result.inputs) + ".");
}

void contenders_section(Markup& page, const StudyResult& result) {
  html_table(page, contenders_table(result));
  if (result.best && !result.best->gap.unknown_because.empty())
    html_paragraph(page, "Unknown factors: " + result.best->gap.unknown_because + ".", "sub");
  if (!result.no_baseline_because.empty())
    html_paragraph(page, "No baseline: " + result.no_baseline_because + ".", "sub");
}

/// Lines of a unified difference, removed and added ones marked by sign and colour.
void difference_section(Markup& page, const std::string& difference) {
  if (difference.empty()) return;
  const HtmlFold fold(page, "What the best changes in the source");
  page.open("pre", {{"class", "diff scroll"}, {"tabindex", "0"}});
  std::istringstream lines(difference);
  for (std::string line; std::getline(lines, line);) {
    const bool added = line.starts_with('+') && !line.starts_with("+++");
    const bool gone = line.starts_with('-') && !line.starts_with("---");
    if (added || gone)
      page.element(added ? "ins" : "del", {}, line).text("\n");
    else
      page.text(line + "\n");
  }
  page.close().newline();
}

}  // namespace

void trials_sections(Markup& page, const StudyResult& result, const std::string& heading) {
  page.open("section", {{"id", "knobs"}, {"hidden", "hidden"}}).text("").close().newline();
  html_heading(page, heading);
  html_figure(page, convergence_svg(result));
  page.open("div", {{"id", "cost"}});
  html_paragraph(page, "Spent: " + cost_sentence(result) + ".", "sub");
  page.close().newline();
  html_heading(page, fmt::format("All {} trials", result.trials.size()));
  html_paragraph(page, outcome_sentence(result), "sub");
  page.open("div", {{"id", "all-trials"}}).text("").close().newline();
}

std::string study_page(const StudyResult& result, const std::string& best_source_difference) {
  Markup page;
  html_begin(page, result.identity.kernel + " on " + result.roofline.machine.name, extras);
  answer_section(page, result);
  if (result.inputs) inputs_section(page, result);
  if (result.bound.known()) {
    html_heading(page, "Roofline");
    page.open("div", {{"id", "chart"}});
    html_figure(page, roofline_svg(result));
    page.close().newline();
  }
  contenders_section(page, result);
  if (const HtmlTable goals = trade_offs_table(result); goals.rows.size() > 1)
    html_table(page, goals);
  trials_sections(page, result, "Time of every trial, and the bound as the floor");
  page.open("section", {{"id", "evidence"}}).newline();
  html_heading(page, "What it rests on");
  difference_section(page, best_source_difference);
  evidence(page, result);
  page.close().newline();
  page.open("script", {{"type", "application/json"}, {"id", "data"}})
      .raw(embedded(study_view(result)))
      .close()
      .newline();
  return html_end(page, result.identity.version, result.identity.date, extras);
}

namespace {

constexpr PageExtras recorded_extras{{study_style, study_style_hash},
                                     {study_script, study_script_hash}};

/// The part of a study's view that stands for a recording: no study answers for it, and no command
/// runs it again.
Json recorded_view(const RecordedTrials& recorded) {
  Json view = study_view(recorded.result);
  Json result{{"recording", recorded.file}, {"headline", recorded.headline}};
  for (const char* member :
       {"kernel", "problem", "machine", "best", "baseline", "bound", "ties", "path", "cost"})
    result[member] = view["result"][member];
  view["result"] = result;
  view["commands"] = Json::object();
  return view;
}

}  // namespace

std::string recorded_page(const RecordedTrials& recorded, const std::string& date) {
  const StudyResult& result = recorded.result;
  Markup page;
  html_begin(page, result.identity.title, recorded_extras);
  html_paragraph(page, "recorded by another tuner: " + recorded.file, "kicker");
  page.element("h1", {}, recorded.headline).newline();
  page.open("dl", {{"class", "answer"}});
  for (const auto& [about, text] : recorded.facts)
    page.element("dt", {}, about).element("dd", {}, text).newline();
  page.close().newline();
  page.open("div", {{"id", "tools"}, {"class", "buttons"}}).text("").close().newline();
  trials_sections(page, result, "Time of every trial");
  page.open("script", {{"type", "application/json"}, {"id", "data"}})
      .raw(embedded(recorded_view(recorded)))
      .close()
      .newline();
  return html_end(page, version, date, recorded_extras);
}

}  // namespace rooftune::report
