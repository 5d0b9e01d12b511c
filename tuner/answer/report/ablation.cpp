// One row per changed knob: old value, new value, and slowdown of the best without the change.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/fields.h"
#include "report/figures.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

/// The factor of a set-back; nullptr when it was not measured.
const Estimate* factor_of(const StudyResult& result, std::size_t index) {
  for (const KnobEffect& effect : result.effects.single)
    if (effect.index == index) return &effect.factor;
  return nullptr;
}

std::string remark(const SetBack& back, const Estimate* factor) {
  std::vector<std::string> words;
  if (!factor) words.push_back("not measured: " + back.absent_because);
  if (factor && factor->low <= 1 && factor->high >= 1)
    words.emplace_back("nothing beyond the noise");
  if (factor && factor->high < 1) words.emplace_back("costs time: the best is faster without it");
  if (!back.together.empty())
    words.push_back("together with " + list_text(back.together) + ", for want of time");
  if (!back.along.empty())
    words.push_back("with " + list_text(back.along) + ", inactive without it");
  return fmt::format("{}", fmt::join(words, "; "));
}

Ink ink_of(const Estimate* factor) {
  if (!factor) return Ink::yellow;
  return factor->low > 1 ? Ink::green : factor->high < 1 ? Ink::red : Ink::none;
}

/// Positions of the set-backs: largest factor first, those without one last.
std::vector<std::size_t> by_factor(const StudyResult& result) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result.ablation->knobs.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    const Estimate* const factor = factor_of(result, i);
    return factor ? factor->value : 0;
  });
  return order;
}

/// "The single factors multiply to 2.10x, all changes together give 2.38x: ..."; why it is not
/// known where it is not.
std::string interaction_sentence(const StudyResult& result) {
  const KnobEffects& effects = result.effects;
  if (!effects.total || result.ablation->knobs.size() < 2) return {};
  if (!effects.product)
    return fmt::format(
        "all changes together give {}; how the single factors multiply is not known, because some "
        "were not measured",
        ratio_interval(*effects.total));
  std::string text =
      fmt::format("the single factors multiply to {}, all changes together give {}: ",
                  ratio_interval(*effects.product), ratio_interval(*effects.total));
  if (!effects.interacts()) return text + "no interaction beyond the noise";
  text += fmt::format("interaction {}, ", ratio_interval(*effects.interaction));
  return text + (effects.interaction->low > 1
                     ? "some changes do the same job, so that one of them can stand for another"
                     : "some changes need each other");
}

}  // namespace

std::vector<std::string> promotion_sentences(const StudyResult& result) {
  std::vector<std::string> sentences;
  for (const Promotion& promotion : result.promotions) {
    const Challenger& challenger = promotion.challenger;
    const Value& back = challenger.configuration.at(challenger.knob);
    sentences.push_back(
        fmt::format("a winner of the race took {} of its time with {} set back to {}, so that was "
                    "raced too: {}",
                    ratio_interval(challenger.factor), challenger.knob, to_text(back),
                    promotion.won ? "it is the best" : "it is not the best of the final race"));
  }
  return sentences;
}

Json promotions_json(const StudyResult& result) {
  Json json = Json::array();
  for (const Promotion& promotion : result.promotions)
    json.push_back({{"configuration", to_json(promotion.challenger.configuration)},
                    {"knob", promotion.challenger.knob},
                    {"factor", encode(promotion.challenger.factor)},
                    {"won", promotion.won}});
  return json;
}

std::string broken_by(const LedgerEntry& entry) {
  if (!entry.not_set_back.empty())
    return "not known, perhaps " + list_text(change_texts(entry.not_set_back)) +
           ": could not be set back";
  if (entry.knobs.empty()) return {};
  if (entry.evidence == LedgerEntry::Evidence::search)
    return list_text(change_texts(entry.knobs)) + " (the step of the search that crossed it)";
  std::vector<std::string> changes = change_texts(entry.knobs);
  for (std::size_t i = 0; i < std::min(changes.size(), entry.set_back.size()); ++i)
    changes[i] += fmt::format(" ({} without)", seconds_text(entry.set_back[i].value));
  return list_text(changes);
}

std::optional<Section> ablation_section(const StudyResult& result) {
  if (!result.ablation || result.ablation->knobs.empty()) return std::nullopt;
  Section section{
      "What each change is worth",
      fmt::format(
          "Slower by so much: the best with one knob at the baseline's value, beside the best "
          "in {} interleaved rounds.",
          result.ablation->baseline_rounds.size()),
      {.head = {{"knob"}, {"baseline"}, {"best"}, number_head("factor"), {"remark"}}}};
  for (const std::size_t i : by_factor(result)) {
    const SetBack& back = result.ablation->knobs[i];
    const Estimate* factor = factor_of(result, i);
    section.table.rows.push_back(
        {{back.knob},
         {to_text(back.from)},
         {to_text(back.to)},
         {.text = factor ? ratio_interval(*factor) : "-", .classes = "n", .ink = ink_of(factor)},
         {remark(back, factor), "w"}});
  }
  if (const std::string together = interaction_sentence(result); !together.empty())
    section.remarks.push_back("Together: " + together + ".");
  return section;
}

Json ablation_json(const StudyResult& result) {
  if (!result.ablation) return {};
  Json knobs = Json::array();
  for (std::size_t i = 0; i < result.ablation->knobs.size(); ++i) {
    const SetBack& back = result.ablation->knobs[i];
    const Estimate* factor = factor_of(result, i);
    knobs.push_back({{"knob", back.knob},
                     {"from", to_json(back.from)},
                     {"to", to_json(back.to)},
                     {"along", back.along},
                     {"factor", factor ? encode(*factor) : Json()},
                     {"absent_because", back.absent_because}});
    if (!back.together.empty()) knobs.back()["together"] = back.together;
  }
  return {{"knobs", knobs},
          {"rounds", result.ablation->baseline_rounds.size()},
          {"total", encode(result.effects.total)},
          {"product", encode(result.effects.product)},
          {"interaction", encode(result.effects.interaction)},
          {"interacts", result.effects.interacts()},
          {"fault", result.ablation->fault}};
}

}  // namespace rooftune::report
