// A study's page: the answer, its staircase as table and pictures, the knobs and the trials, and
// below them the evidence; and the page for trials that another tuner recorded.
#include "report/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "core/version.h"
#include "report/answer.h"
#include "report/charts.h"
#include "report/convergence.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"
#include "report/study_evidence.h"
#include "report/study_resources.h"
#include "report/study_tables.h"
#include "report/study_view.h"
#include "report/waterfall.h"

namespace rooftune::report {
namespace {

constexpr PageExtras extras{{study_style, study_style_hash}, {study_script, study_script_hash}};

/// The longest glossary entry that begins at this place in a text; nullptr where no whole word is
/// one.
const GlossaryEntry* entry_at(const std::string& text, size_t at) {
  static const std::vector<GlossaryEntry> entries = glossary();
  const auto inside = [&](size_t place) {
    return place < text.size() && is_name_char(text[place]);
  };
  if (at > 0 && inside(at - 1)) return nullptr;
  const GlossaryEntry* longest = nullptr;
  for (const GlossaryEntry& entry : entries)
    if (text.compare(at, entry.word.size(), entry.word) == 0 && !inside(at + entry.word.size()) &&
        (!longest || longest->word.size() < entry.word.size()))
      longest = &entry;
  return longest;
}

/// As on a terminal, with the whole texts on hover; the evidence has the steps in full.
HtmlTable in_brief(HtmlTable table) {
  for (auto& row : table.rows)
    for (HtmlCell& cell : row)
      if (!cell.brief.empty() && cell.brief != cell.text) {
        cell.hover = cell.text;
        cell.text = cell.brief;
      }
  return table;
}

/// The object as it may stand in a <script>: no <, > or &.
std::string embedded(const Json& json) {
  const std::string text = json_text(json);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text)
    if (!contains("<>&", c))
      safe += c;
    else
      safe += fmt::format("\\u{:04x}", unsigned(c));
  return safe;
}

/// A page about a result, from top to bottom.
struct StudyPage {
  const StudyResult& result;
  Markup page = {};
  TextSet seen = {};  ///< words that were explained

  /// A small mark after a figure; its reasons show on hover, focus and tap.
  void doubt_mark(const Texts& doubts) {
    if (doubts.empty()) return;
    const std::string text = joined(doubts, "; ");
    page.open("button",
              {{"type", "button"}, {"class", "doubt"}, {"aria-label", "in doubt: " + text}})
        .text("?")
        .element("span", {}, text)
        .close();
  }

  /// Writes a text in which glossary words are explained where they stand: on hover, by a screen
  /// reader, and by a click, which opens the entry; each word once.
  void explained(const std::string& text) {
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
      const GlossaryEntry* const entry = entry_at(text, at);
      if (!entry || !seen.insert(entry->word).second) {
        at += entry ? entry->word.size() : 1;
        continue;
      }
      page.text(text.substr(done, at - done));
      page.element(
          "a", {{"class", "word"}, {"href", glossary_link(entry->word)}, {"title", entry->meaning}},
          entry->word);
      done = at += entry->word.size();
    }
    page.text(text.substr(done));
  }

  void headline_section(const Claims& said) {
    html_paragraph(page, study_sentence(result), "kicker");
    page.open("h1");
    explained(headline(said));
    doubt_mark(doubts(said));
    page.close_line();
  }

  /// A claim's label, linked where the glossary has the word.
  void claim_word(const Claim& claim) {
    const std::string link = glossary_link(glossary_word(claim));
    page.open("dt");
    if (link.empty())
      page.text(label_of(claim));
    else
      page.element("a", {{"href", link}}, label_of(claim));
    page.close();
  }

  /// A picture in two widths, for a desk and for a phone.
  void picture(Scene (*scene)(const StudyResult&, double)) {
    html_figure(page, svg_document(scene(result, chart_width)),
                svg_document(scene(result, phone_width)));
  }

  void answer_section() {
    const Claims said = claims(result);
    headline_section(said);
    html_table(page, in_brief(staircase_table(result)));
    if (const Claim* const more = claim_of(said, Claim::Kind::more))
      html_paragraph(page, words_of(*more) + ".", "sub");
    page.open("dl", {{"class", "answer"}});
    for (const Claim& claim : said)
      if (!label_of(claim).empty()) {
        claim_word(claim);
        page.open("dd");
        explained(words_of(claim));
        page.close_line();
      }
    page.close_line();
    for (const std::string& flag : result.flags)
      html_paragraph(page, "Contradiction. " + flag + ".", "note alarm");
    page.element("div", {{"id", "tools"}, {"class", "buttons"}}, "").newline();
    if (result.staircase) {
      html_heading(page, "The staircase");
      picture(waterfall);
    }
  }

  void inputs_section() {
    html_heading(page, "The inputs");
    html_paragraph(page, inputs_sentence(*result.inputs));
    html_table(page, inputs_table(*result.inputs));
    html_paragraph(page, shown_input_sentence(*result.inputs) + ".");
  }

  /// The lines of a unified difference; sign and colour mark removed and added ones.
  void difference_section(const std::string& difference) {
    if (difference.empty()) return;
    const HtmlFold fold(page, "What the best changes in the source");
    page.open("pre", {{"class", "diff scroll"}, {"tabindex", "0"}});
    for (const std::string& line : split(difference)) {
      const bool added = line.starts_with('+') && !line.starts_with("+++");
      const bool gone = line.starts_with('-') && !line.starts_with("---");
      if (added || gone)
        page.element(added ? "ins" : "del", {}, line).text("\n");
      else
        page.text(line + "\n");
    }
    page.close_line();
  }

  void trials_sections(const std::string& heading) {
    page.element("section", {{"id", "knobs"}, {"hidden", "hidden"}}, "").newline();
    html_heading(page, heading);
    picture(convergence);
    page.open("div", {{"id", "cost"}});
    html_paragraph(page, "Spent: " + cost_sentence(result) + ".", "sub");
    page.close_line();
    html_heading(page, fmt::format("All {} trials", result.trials.size()));
    html_paragraph(page, outcome_sentence(result), "sub");
    page.element("div", {{"id", "all-trials"}}, "").newline();
  }

  /// What the page's script shows.
  void data(const Json& view) {
    page.open("script", {{"type", "application/json"}, {"id", "data"}})
        .raw(embedded(view))
        .close_line();
  }
};

/// The part of a study's view that a recording has: no study answers for it, and no command runs it
/// again.
Json recorded_view(const RecordedTrials& recorded) {
  Json view = study_view(recorded.result);
  Json result{{"recording", recorded.file}, {"headline", recorded.headline}};
  for (const char* member :
       {"kernel", "problem", "machine", "best", "baseline", "bound", "ties", "cost"})
    result[member] = view["result"][member];
  view["result"] = result;
  view["commands"] = Json::object();
  return view;
}

}  // namespace

std::string study_svg(const StudyResult& result) {
  std::string subtitle = study_sentence(result);
  if (!result.problem.empty()) subtitle += "; " + facts_text(result.problem);
  std::vector<Scene> parts;
  if (result.staircase) parts.push_back(waterfall(result));
  if (result.bound.known()) parts.push_back(roofline_chart(result));
  if (parts.empty()) parts.push_back(convergence(result));
  return svg_document(stacked(headline(claims(result)), subtitle, std::move(parts)));
}

std::string study_page(const StudyResult& result, const std::string& best_source_difference) {
  StudyPage all{result};
  Markup& page = all.page;
  html_begin(page, result.header.kernel + " on " + result.roofline.machine.name, extras);
  all.answer_section();
  if (result.inputs) all.inputs_section();
  if (result.bound.known()) {
    html_heading(page, "Roofline");
    all.picture(roofline_chart);
  }
  if (const HtmlTable goals = trade_offs_table(result); goals.rows.size() > 1)
    html_table(page, goals);
  all.trials_sections("Time of every trial, and the bound as the floor");
  page.open("section", {{"id", "evidence"}}).newline();
  html_heading(page, "What it rests on");
  all.difference_section(best_source_difference);
  evidence(page, result);
  page.close_line();
  all.data(study_view(result));
  return html_end(page, result.setup.version, result.date, extras);
}

std::string recorded_page(const RecordedTrials& recorded, const std::string& date) {
  const StudyResult& result = recorded.result;
  StudyPage all{result};
  Markup& page = all.page;
  html_begin(page, result.setup.title, extras);
  html_paragraph(page, "recorded by another tuner: " + recorded.file, "kicker");
  page.element("h1", {}, recorded.headline).newline();
  html_definitions(page, recorded.facts, "answer");
  page.element("div", {{"id", "tools"}, {"class", "buttons"}}, "").newline();
  all.trials_sections("Time of every trial");
  all.data(recorded_view(recorded));
  return html_end(page, version, date, extras);
}

}  // namespace rooftune::report
