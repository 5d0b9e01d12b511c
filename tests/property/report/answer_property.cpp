// The printed answer of thousands of generated results, read back and held against the figures: a
// sentence says what was measured and counted, and nothing else.
#include <catch2/catch.hpp>
#include <cctype>
#include <cmath>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "report/answer.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/terminal.h"
#include "support/sample_report.h"

using namespace rooftune;

namespace {

/// An estimate around `value` with an interval of random width, sometimes wider than 3 to 1.
Estimate around(Rng& rng, double value) {
  const double width = std::pow(10.0, 0.6 * rng.unit() * rng.unit());
  return {value, value / width, value * width};
}

std::optional<double> perhaps(Rng& rng, double value) {
  return rng.below(4) == 0 ? std::nullopt : std::optional(value);
}

Gap arbitrary_gap(Rng& rng) {
  Gap gap;
  const double work = rng.below(3) == 0 ? 1 : 0.6 + 4 * rng.unit() * rng.unit(),
               traffic = rng.below(3) == 0 ? 1 : 1 + 3 * rng.unit() * rng.unit(),
               rate = 1 + 4 * rng.unit() * rng.unit();
  gap.total = around(rng, work * traffic * rate);
  gap.above_roof = gap.total.high < 1;
  if (rng.below(3) == 0) return gap;
  gap.work = perhaps(rng, work);
  gap.traffic = perhaps(rng, traffic);
  gap.rate = perhaps(rng, rate);
  return gap;
}

/// Counts that tell what holds code back, or not.
std::optional<Counts> arbitrary_counts(Rng& rng, double seconds) {
  if (rng.below(3) == 0) return std::nullopt;
  Counts counts;
  const auto put = [&](const char* name, double value) {
    if (rng.below(4) > 0) counts.details[name] = Estimate::exact(value);
  };
  const double regions = static_cast<double>(1 + rng.below(500)), instructions = 1e9 * rng.unit();
  put(counted_threads, 2);
  put(parallel_regions, regions);
  put(empty_region, 1.2 * rng.unit() * seconds / regions);
  put(instructions_detail, instructions);
  put(busiest_thread, instructions * (0.5 + 0.5 * rng.unit()));
  put(scattered_loads, 1e6 * rng.unit());
  return counts;
}

/// Other figures in the same study. Where the baseline stands it is the best.
void vary(StudyResult& report, Rng& rng) {
  static const Contender best = *report.best;
  report.best = best;
  report.best->gap = arbitrary_gap(rng);
  report.best->counts = arbitrary_counts(rng, best.seconds.value);
  report.baseline->gap = arbitrary_gap(rng);
  report.speedup = around(rng, 0.9 + 3 * rng.unit());
  report.baseline_stands = rng.below(4) == 0;
  if (report.baseline_stands) report.best = report.baseline;
  report.target_gap = 1.05 + 0.2 * rng.unit();
  report.flags = rng.below(5) == 0 ? std::vector<std::string>{"two sources disagree"}
                                   : std::vector<std::string>{};
  report.paired_gap = rng.below(2) ? std::optional(around(rng, 1 + rng.unit())) : std::nullopt;
}

/// Other worths of knobs, other standings of ceilings and walls.
void vary_explanation(StudyResult& report, Rng& rng) {
  for (KnobEffect& effect : report.effects.single)
    effect.factor = around(rng, 0.7 + 2 * rng.unit());
  for (LedgerEntry& entry : report.ledger) {
    using Evidence = LedgerEntry::Evidence;
    entry.state = enumerators<LedgerEntry::State>()[rng.below(4)];
    entry.knobs.clear();
    for (const char* knob : {"format", "threads", "prefetch"})
      if (rng.below(3) == 0) entry.knobs.push_back(sample::change(knob, 0, 1));
    entry.evidence = entry.knobs.empty() ? Evidence::none
                     : rng.below(3) == 0 ? Evidence::search
                                         : Evidence::ablation;
  }
}

bool says(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `word` stands in the text, not as a part of another one.
bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

/// The factors of a text, as printed: "3.89x". Without std::regex, which took most of the test.
std::vector<std::string> factors_in(const std::string& text) {
  constexpr const char *digits = "0123456789", *of_number = "0123456789.e+-";
  std::vector<std::string> all;
  for (std::size_t at = text.find_first_of(digits); at != text.npos;
       at = text.find_first_of(digits, at)) {
    const std::size_t begin = at;
    at = std::min(text.find_first_not_of(of_number, begin), text.size());
    if (at == text.size() || text[at] != 'x') continue;
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (next < 'a' && (next < '0' || next > '9')) all.push_back(text.substr(begin, at + 1 - begin));
  }
  return all;
}

void check_gain(const StudyResult& report, const std::string& text) {
  const Estimate& gain = *report.speedup;
  const bool claimed = text.find("x faster than your baseline") != std::string::npos;
  CHECK(claimed == (!report.baseline_stands && gain.low > 1));
  if (!claimed) return;
  const bool wide = gain.high > 3 * gain.low;
  CHECK(says(text, "is at least") == wide);
  CHECK(factors_in(text).front() == ratio_text(wide ? gain.low : gain.value));
}

void check_distance(const StudyResult& report, const std::string& text) {
  const Estimate& gap = report.best->gap.total;
  if (gap.high < 1) {
    CHECK(says(text, "of the bound, faster than sample can be"));
    for (const char* claim : {"within", "closed", "is the limit", "what it must"})
      CHECK_FALSE(says(text, claim));
    return;
  }
  CHECK_FALSE(says(text, "faster than sample can be"));
  const bool wide = gap.high > 3 * gap.low, open = wide && gap.low <= 1;
  CHECK(says(text, "is not decided") == open);
  if (open || gap.value < 1) {
    CHECK_FALSE(says(text, "within"));
    return;
  }
  CHECK(says(text, (wide ? "at least " + ratio_text(gap.low) + " from"
                         : "within " + ratio_text(gap.value) + " of")
                       .c_str()));
}

/// Each factor above 1.1 that was counted, largest first; a roof only where the best is at it.
void check_rest(const StudyResult& report, const std::string& text) {
  const Gap& gap = report.best->gap;
  if (gap.total.high < 1) return;
  const bool counted = gap.work && gap.traffic && gap.rate;
  if (says(text, "the gap is closed")) {
    CHECK(gap.total.value <= report.target_gap);
    CHECK(report.flags.empty());
    return;
  }
  if (says(text, "is the limit")) CHECK((gap.total.value <= 1.3 || (counted && *gap.rate <= 1.3)));
  if (says(text, "little more than it must")) {
    REQUIRE(counted);
    CHECK(*gap.work <= 1.1);
    CHECK(*gap.traffic <= 1.1);
    CHECK(*gap.rate > 1.3);
  }
  CHECK(says(text, "was not counted") <= !counted);
  const std::size_t work = text.find("computes "), traffic = text.find("moves ");
  const auto said = [&](const std::optional<double>& factor, const char* verb) {
    CHECK(says(text, (std::string(verb) + " " + ratio_text(factor.value_or(1)) +
                      (verb[0] == 'r' ? " below" : " "))
                         .c_str()) == (factor.value_or(1) > 1.1));
  };
  said(gap.work, "computes");
  said(gap.traffic, "moves");
  if (gap.work.value_or(1) > 1.1 && gap.traffic.value_or(1) > 1.1)
    CHECK((work < traffic) == (*gap.work >= *gap.traffic));
}

double detail(const StudyResult& report, const char* name) {
  if (!report.best->counts) return 0;
  const auto& details = report.best->counts->details;
  return details.contains(name) ? details.at(name).value : 0;
}

/// Instructions of the busiest thread over the mean of all.
double imbalance(const StudyResult& report) {
  const double all = detail(report, instructions_detail);
  return all > 0 ? detail(report, busiest_thread) * detail(report, counted_threads) / all : 0;
}

/// What holds code back is said only below a roof, with its own figures.
void check_bottlenecks(const StudyResult& report, const std::string& text) {
  const bool regions = says(text, "parallel regions"), uneven = says(text, "the busiest thread");
  if (!(regions || uneven)) return;
  REQUIRE(report.best->counts);
  CHECK(report.best->gap.rate.value_or(1) > 1.3);
  const double empty = detail(report, parallel_regions) * detail(report, empty_region);
  if (regions) CHECK(empty / report.best->seconds.high >= 0.2);
  if (uneven) CHECK(imbalance(report) >= 1.25);
}

/// The factors that are allowed to stand in the headline at all.
void check_figures(const StudyResult& report, const std::string& text) {
  const Gap& gap = report.best->gap;
  std::vector<std::string> known;
  for (const Estimate& one : {*report.speedup, gap.total})
    for (const double value : {one.value, one.low}) known.push_back(ratio_text(value));
  for (const auto& factor : {gap.work, gap.traffic, gap.rate})
    if (factor) known.push_back(ratio_text(*factor));
  if (gap.rate) known.push_back(ratio_text(*gap.rate * gap.total.low / gap.total.value));
  known.push_back(ratio_text(imbalance(report)));
  for (const std::string& factor : factors_in(text)) {
    INFO(factor);
    CHECK(std::count(known.begin(), known.end(), factor) > 0);
  }
}

/// "next" names the largest excess, and of knobs only values that neither the best nor any trial
/// had.
void check_advice(const StudyResult& report, const Answer& answer) {
  for (const AnswerLine& line : answer.lines) {
    if (line.about != "next") continue;
    INFO(line.text);
    const Gap& gap = report.best->gap;
    const double most = std::max(gap.work.value_or(1), gap.traffic.value_or(1));
    CHECK(most > 1.1);
    CHECK(factors_in(line.text).front() == ratio_text(most));
    static const std::regex knob("([a-z_]+) ([^;()]+) \\(([^)]*) now\\)");
    const std::string intro = "not tried yet: ";
    const std::size_t begin = line.text.find(intro);
    if (begin == std::string::npos) continue;
    const std::string advised = line.text.substr(begin + intro.size());
    for (const Untried& untried : report.untried)
      for (const Value& value : untried.slower) CHECK_FALSE(says(advised, to_text(value).c_str()));
    for (std::sregex_iterator at(advised.begin(), advised.end(), knob), end; at != end; ++at) {
      const std::string name = (*at)[1], values = (*at)[2], now = (*at)[3];
      CHECK(to_text(report.best->configuration.at(name)) == now);
      std::set<std::string> tried;
      for (const Trial& trial : report.trials) tried.insert(to_text(trial.configuration.at(name)));
      for (const std::string& value : tried) CHECK_FALSE(has_word(values, value));
    }
  }
}

const std::string* line_about(const Answer& answer, const std::string& about) {
  for (const AnswerLine& line : answer.lines)
    if (line.about == about) return &line.text;
  return nullptr;
}

/// "broke" names broken ceilings and walls with the knobs that were set back, and no others.
void check_broke(const StudyResult& report, const Answer& answer) {
  std::set<std::string> broken;
  for (const LedgerEntry& entry : report.ledger) {
    if (entry.state != LedgerEntry::State::broken ||
        entry.evidence != LedgerEntry::Evidence::ablation)
      continue;
    std::vector<std::string> knobs;
    for (const Step::Change& change : entry.knobs) knobs.push_back(change.knob);
    broken.insert(fmt::format("{} (by {})", short_name(entry), list_text(knobs)));
  }
  const std::string* const text = line_about(answer, "broke");
  CHECK((text != nullptr) == !broken.empty());
  if (!text) return;
  INFO(*text);
  static const std::regex claim("([^()]+ \\(by [^()]*\\))(; |$)|[0-9]+ more$");
  std::string rest = *text;
  for (std::smatch match;
       std::regex_search(rest, match, claim, std::regex_constants::match_continuous);
       rest = match.suffix())
    if (match[1].matched) CHECK(broken.contains(match[1]));
  CHECK(rest.empty());
}

/// "helped" names knobs whose removal costs time beyond the noise, with what it costs.
void check_helped(const StudyResult& report, const Answer& answer) {
  const std::string* const text = line_about(answer, "helped");
  CHECK((text != nullptr) == !report.baseline_stands);
  if (!text) return;
  INFO(*text);
  std::size_t helped = 0, said = 0;
  for (const KnobEffect& effect : report.effects.single) {
    const SetBack& back = report.ablation->knobs[effect.index];
    const bool named = says(*text, fmt::format("{} {} -> {} ({})", back.knob, to_text(back.from),
                                               to_text(back.to), ratio_text(effect.factor.value))
                                       .c_str());
    if (effect.factor.low <= 1) CHECK_FALSE(named);
    helped += effect.factor.low > 1;
    said += named;
  }
  CHECK(said == std::min<std::size_t>(helped, 4));
  CHECK(says(*text, "1 of 6 not measured"));
}

/// A program that reads the JSON is told the same.
void check_json(const Answer& answer) {
  const Json json = to_json(answer);
  std::string text;
  for (const Json& phrase : json.at("headline")) text += phrase.at("text").get<std::string>();
  std::string printed = answer.sentence();
  for (std::string* one : {&text, &printed}) std::erase(*one, ' ');
  CHECK(text == printed);
  REQUIRE(json.at("lines").size() == answer.lines.size());
  for (std::size_t i = 0; i < answer.lines.size(); ++i)
    CHECK(json.at("lines")[i].at("text") == answer.lines[i].text);
  const std::string verdict = json.at("verdict");
  CHECK((verdict == "faster") <= says(answer.sentence(), "faster than your baseline"));
  CHECK((verdict == "above_the_roof") == says(answer.sentence(), "faster than sample can be"));
}

/// The row of the best in the terminal's table of times.
std::vector<std::string> terminal_row(const StudyResult& report) {
  TerminalStyle style;
  style.width = 160;
  std::istringstream lines(terminal_summary(report, style));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    const std::vector<std::string> all{std::istream_iterator<std::string>(in), {}};
    if (all.size() > 2 && all[0] == "best" && std::isdigit(all[1][0])) return all;
  }
  return {};
}

/// Tables, the result as JSON and the page's data state the gap of the headline and its factors.
void check_elsewhere(const StudyResult& report, const Answer& answer) {
  const Gap& gap = report.best->gap;
  const Json json = to_json(report);
  CHECK(json.at("headline") == answer.sentence());
  CHECK(json.at("answer") == to_json(answer));
  CHECK(study_view(report).at("result") == json);
  const Json& told = json.at("best").at("gap");
  CHECK(told.at("total") == gap.total.value);
  const HtmlTable table = contenders_table(report);
  const auto& row =
      *std::ranges::find_if(table.rows, [](const auto& one) { return one.front().text == "best"; });
  CHECK(row[4].brief == ratio_text(gap.total.value));
  std::size_t column = 5;
  for (const auto& [name, factor] : {std::pair("work", gap.work), std::pair("traffic", gap.traffic),
                                     std::pair("rate", gap.rate)}) {
    CHECK(told.at(name) == (factor ? Json(*factor) : Json()));
    CHECK(row[column++].text == (factor ? significant(*factor, 3) : "unknown"));
  }
  const auto words = terminal_row(report);
  REQUIRE_FALSE(words.empty());
  CHECK(words.back() == ratio_text(gap.total.value));
}

}  // namespace

TEST_CASE("no sentence of an answer contradicts a figure") {
  StudyResult report = sample::report();
  report.untried = {
      {"format", {"csr5"}, {"dia"}}, {"prefetch", {64, 128}}, {"index_bits", {8}, {24}}};
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    Rng rng(seed, 3);
    vary(report, rng);
    vary_explanation(report, rng);
    const Answer said = answer(report);
    const std::string text = said.sentence();
    INFO("seed " << seed << ": " << text);
    check_gain(report, text);
    check_distance(report, text);
    check_rest(report, text);
    check_bottlenecks(report, text);
    check_figures(report, text);
    check_advice(report, said);
    check_broke(report, said);
    check_helped(report, said);
    check_json(said);
    // One configuration has one gap, wherever it stands.
    if (seed % 50 == 0) check_elsewhere(report, said);
  }
}
