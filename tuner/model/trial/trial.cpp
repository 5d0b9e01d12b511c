#include "trial/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/estimate_json.h"

namespace rooftune::trial {
namespace {

/// A time [s] with its interval.
Estimate read_seconds(ObjectReader& reader) {
  const Estimate estimate{reader.real("value"), reader.real("low"), reader.real("high")};
  const bool ordered = estimate.low <= estimate.value && estimate.value <= estimate.high;
  if (!(estimate.low > 0) || !ordered || !std::isfinite(estimate.high))
    reader.fault({}, "a time is positive and its interval holds it");
  reader.finish();
  return estimate;
}

/// JSON knows no infinity and no NaN, but a validation error can be either.
Json number_or_word(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double read_number_or_word(ObjectReader& reader, const std::string& key) {
  const Json& json = reader.member(key);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  return reader.real(key, 0);
}

/// Samples are many, so each is an array: [seconds, cpu_share, switches].
Json samples_json(const std::vector<Sample>& samples) {
  // A list in braces would copy every number twice: most of a record are samples.
  Json::array_t rows(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
    rows[i] = Json::array_t{samples[i].seconds, samples[i].cpu_share, samples[i].switches};
  return rows;
}

std::vector<Sample> read_samples(ObjectReader& reader) {
  std::vector<Sample> samples;
  const Json& json = reader.member("samples");
  const bool numbers =
      json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& sample) {
        return sample.is_array() && sample.size() == 3 && sample[0].is_number() &&
               sample[1].is_number() && sample[2].is_number_integer();
      });
  if (!numbers) {
    reader.fault("samples", "expected an array of [seconds, cpu_share, switches]");
    return samples;
  }
  for (const auto& sample : json)
    samples.push_back({sample[0].get<double>(), sample[1].get<double>(), sample[2].get<int>()});
  return samples;
}

CardState read_card(ObjectReader& reader) {
  CardState card;
  card.sm_mhz = reader.real("sm_mhz", 0);
  card.memory_mhz = reader.real("memory_mhz", 0);
  card.celsius = reader.real("celsius", 0);
  card.watts = reader.real("watts", 0);
  card.joules = reader.real("joules", 0);
  card.joules_low = reader.real("joules_low", card.joules);
  card.joules_high = reader.real("joules_high", card.joules);
  card.throttled = reader.integer("throttled", 0);
  card.others = static_cast<int>(reader.integer("others", 0));
  card.graph = reader.truth("graph", false);
  card.notes = reader.texts("notes");
  reader.finish();
  return card;
}

Json measurement_json(const Measurement& measurement) {
  Json json{{"seconds", estimate_json(measurement.seconds)},
            {"best", measurement.best},
            {"median", measurement.median},
            {"repeats", measurement.repeats},
            {"disturbed", measurement.disturbed},
            {"prepare_seconds", measurement.prepare_seconds},
            {"amortised_seconds", measurement.amortised_seconds},
            {"max_error", number_or_word(measurement.max_error)},
            {"samples", samples_json(measurement.samples)}};
  if (measurement.card) json["card"] = encode(*measurement.card);
  for (const Measurement& input : measurement.inputs)
    json["inputs"].push_back(input.samples.empty() ? Json::object() : measurement_json(input));
  return json;
}

Measurement read_measurement(ObjectReader& reader) {
  Measurement measurement;
  if (!reader.object("seconds",
                     [&](ObjectReader& member) { measurement.seconds = read_seconds(member); }))
    reader.fault("seconds", "is missing (value, low, high)");
  measurement.best = reader.real("best");
  measurement.median = reader.real("median");
  measurement.repeats = static_cast<int>(reader.integer("repeats", 1));
  measurement.disturbed = reader.truth("disturbed", false);
  measurement.prepare_seconds = reader.real("prepare_seconds", 0);
  measurement.amortised_seconds = reader.real("amortised_seconds", 0);
  measurement.max_error = read_number_or_word(reader, "max_error");
  measurement.samples = read_samples(reader);
  CardState card;
  if (reader.object("card", [&](ObjectReader& member) { card = read_card(member); }))
    measurement.card = card;
  reader.each("inputs", [&](ObjectReader& input) {
    measurement.inputs.push_back(input.json().empty() ? Measurement{} : read_measurement(input));
  });
  reader.finish();
  return measurement;
}

Cost read_cost(ObjectReader& reader) {
  Cost cost{reader.real("build", 0), reader.real("validate", 0), reader.real("time", 0),
            reader.real("total", 0)};
  // Records of older versions, with one compiler at a time, lack it.
  cost.waiting = reader.real("waiting", cost.build);
  reader.finish();
  return cost;
}

}  // namespace

const char* to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::build_failed:
      return "build_failed";
    case Outcome::crashed:
      return "crashed";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::out_of_memory:
      return "out_of_memory";
    case Outcome::wrong_result:
      return "wrong_result";
    case Outcome::unstable:
      return "unstable";
    case Outcome::pruned:
      return "pruned";
  }
  return "";
}

const std::vector<Outcome>& all_outcomes() {
  static const std::vector<Outcome> all{
      Outcome::ok,        Outcome::build_failed,  Outcome::crashed,
      Outcome::timed_out, Outcome::out_of_memory, Outcome::wrong_result,
      Outcome::unstable,  Outcome::pruned};
  return all;
}

Outcome outcome(const std::string& text) {
  std::vector<std::string> words;
  for (const Outcome candidate : all_outcomes()) {
    if (text == to_text(candidate)) return candidate;
    words.push_back(to_text(candidate));
  }
  throw Error("unknown outcome \"" + text + "\"", {}, did_you_mean(text, words, ""));
}

bool Measurement::complete() const {
  return std::none_of(inputs.begin(), inputs.end(),
                      [](const Measurement& input) { return input.samples.empty(); });
}

std::optional<Estimate> energy(const Measurement& measurement) {
  const auto& card = measurement.card;
  if (!card || card->joules <= 0) return std::nullopt;
  return Estimate{card->joules, card->joules_low, card->joules_high};
}

Estimate figure_of(const Measurement& measurement, Figure figure) {
  if (figure == Figure::time) return measurement.seconds;
  return energy(measurement).value_or(Estimate::exact(std::numeric_limits<double>::infinity()));
}

Cost& Cost::operator+=(const Cost& other) {
  build += other.build;
  validate += other.validate;
  time += other.time;
  total += other.total;
  waiting += other.waiting;
  return *this;
}

double wall_of_call(const Trial& trial) {
  const Measurement& measured = *trial.measurement;
  const auto samples = static_cast<double>(measured.samples.size());
  // Several calls in one window last a millisecond, whatever they are.
  if (samples == 0 || measured.repeats > 1) return measured.seconds.value;
  return std::max(measured.seconds.value, trial.cost.time / samples);
}

Json to_json(const Trial& trial) {
  Json json{{"index", trial.index},
            {"configuration", to_json(trial.configuration)},
            {"outcome", to_text(trial.outcome)}};
  if (!trial.detail.empty()) json["detail"] = trial.detail;
  if (trial.measurement) json["measurement"] = measurement_json(*trial.measurement);
  json["cost"] = Json{{"build", trial.cost.build},
                      {"validate", trial.cost.validate},
                      {"time", trial.cost.time},
                      {"total", trial.cost.total},
                      {"waiting", trial.cost.waiting}};
  json["artefact"] = trial.artefact;
  json["started"] = trial.started;
  if (!trial.promoted_because.empty()) json["promoted_because"] = trial.promoted_because;
  return json;
}

Trial trial_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  Trial trial;
  const std::int64_t index = reader.integer("index");
  if (index < 0) reader.fault("index", "must not be negative");
  trial.index = static_cast<std::uint64_t>(index);
  trial.configuration =
      configuration_from_json(reader.member("configuration"), reader.where("configuration"));
  try {
    trial.outcome = outcome(reader.text("outcome"));
  } catch (const Error& error) {
    reader.fault("outcome", error.message(), error.hint());
  }
  trial.detail = reader.text("detail", "");
  reader.object("measurement",
                [&](ObjectReader& member) { trial.measurement = read_measurement(member); });
  if (trial.outcome == Outcome::ok && !reader.has("measurement"))
    reader.fault("measurement", "a trial that is ok has one");
  reader.object("cost", [&](ObjectReader& member) { trial.cost = read_cost(member); });
  trial.artefact = reader.text("artefact", "");
  trial.started = reader.text("started", "");
  trial.promoted_because = reader.text("promoted_because", "");
  reader.finish();
  faults.raise();
  return trial;
}

}  // namespace rooftune::trial
