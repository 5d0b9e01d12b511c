// Counts as JSON: every figure with its interval, every group with its source.
// Figures that are no numbers travel as words, because a record must contain them too.
#include <cmath>

#include "core/estimate_json.h"
#include "roofline/counts.h"

namespace rooftune::roofline {
namespace {

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number_from(const Json& json, const std::string& where) {
  if (json.is_number()) return json.get<double>();
  const std::string word = json.is_string() ? json.get<std::string>() : "";
  if (word == "nan") return NAN;
  if (word == "inf") return HUGE_VAL;
  if (word == "-inf") return -HUGE_VAL;
  throw Error("must be a number", where);
}

/// [value, low, high], or the value alone where they are equal.
Json figure_json(const Estimate& figure) {
  if (figure == Estimate::exact(figure.value)) return number_json(figure.value);
  return Json::array(
      {number_json(figure.value), number_json(figure.low), number_json(figure.high)});
}

Estimate figure_from(const Json& json, const std::string& where) {
  if (!json.is_array()) return Estimate::exact(number_from(json, where));
  if (json.size() != 3) throw Error("must be a number or [value, low, high]", where);
  return {number_from(json[0], where), number_from(json[1], where), number_from(json[2], where)};
}

const Json& member(const Json& json, const char* name, const std::string& where) {
  if (!json.is_object() || !json.contains(name))
    throw Error(std::string("lacks the member \"") + name + "\"", where);
  return json.at(name);
}

std::string text_from(const Json& json, const std::string& where) {
  if (!json.is_string()) throw Error("must be a text", where);
  return json.get<std::string>();
}

Source source_from(const Json& json, const std::string& where) {
  Source source;
  source.kind = source_kind(text_from(member(json, "kind", where), where + "/kind"));
  source.text = text_from(member(json, "text", where), where + "/text");
  if (json.contains("date")) source.date = text_from(json.at("date"), where + "/date");
  return source;
}

Json access_json(const AccessCount& count) {
  return {{"instructions", figure_json(count.instructions)}, {"bytes", figure_json(count.bytes)}};
}

AccessCount access_from(const Json& json, const std::string& where) {
  return {figure_from(member(json, "instructions", where), where + "/instructions"),
          figure_from(member(json, "bytes", where), where + "/bytes")};
}

std::vector<std::string> texts_from(const Json& json, const char* name, const std::string& where) {
  std::vector<std::string> texts;
  if (!json.contains(name)) return texts;
  if (!json.at(name).is_array()) throw Error("must be an array of texts", where + "/" + name);
  for (const Json& text : json.at(name)) texts.push_back(text_from(text, where + "/" + name));
  return texts;
}

void read_operations(const Json& json, const std::string& where, Counts& counts) {
  for (const auto& [precision, kinds] : json.items()) {
    if (precision == "source") {
      counts.operations_source = source_from(kinds, where + "/source");
      continue;
    }
    if (!kinds.is_object()) throw Error("must be an object of kinds", where + "/" + precision);
    for (const auto& [kind, figure] : kinds.items())
      counts.operations[precision][kind] =
          figure_from(figure, where + "/" + precision + "/" + kind);
  }
}

void read_accesses(const Json& json, const std::string& where, Counts& counts) {
  counts.access_source = source_from(member(json, "source", where), where + "/source");
  if (json.contains("loads")) counts.loads = access_from(json.at("loads"), where + "/loads");
  if (json.contains("stores")) counts.stores = access_from(json.at("stores"), where + "/stores");
}

void read_traffic(const Json& json, const std::string& where, Counts& counts) {
  for (const auto& [level, count] : json.items()) {
    const std::string place = where + "/" + level;
    counts.traffic[level] = {figure_from(member(count, "read", place), place + "/read"),
                             figure_from(member(count, "write", place), place + "/write"),
                             source_from(member(count, "source", place), place + "/source")};
  }
}

}  // namespace

Json to_json(const Counts& counts) {
  Json json{{"provider", counts.provider}};
  if (!counts.operations.empty()) {
    json["operations"] = {{"source", source_json(counts.operations_source)}};
    for (const auto& [precision, kinds] : counts.operations) {
      json["operations"][precision] = Json::object();
      for (const auto& [kind, figure] : kinds)
        json["operations"][precision][kind] = figure_json(figure);
    }
  }
  if (counts.loads || counts.stores)
    json["accesses"] = {{"source", source_json(counts.access_source)}};
  if (counts.loads) json["accesses"]["loads"] = access_json(*counts.loads);
  if (counts.stores) json["accesses"]["stores"] = access_json(*counts.stores);
  for (const auto& [level, count] : counts.traffic)
    json["traffic"][level] = {{"read", figure_json(count.read)},
                              {"write", figure_json(count.write)},
                              {"source", source_json(count.source)}};
  for (const auto& [name, figure] : counts.details) json["details"][name] = figure_json(figure);
  json["notes"] = counts.notes;
  json["flags"] = counts.flags;
  return json;
}

Counts counts_from_json(const Json& json, const std::string& where) {
  Counts counts;
  counts.provider = text_from(member(json, "provider", where), where + "/provider");
  const auto part = [&](const char* name, auto read) {
    if (!json.contains(name)) return;
    const std::string place = where + "/" + name;
    if (!json.at(name).is_object()) throw Error("must be an object", place);
    read(json.at(name), place, counts);
  };
  part("operations", read_operations);
  part("accesses", read_accesses);
  part("traffic", read_traffic);
  part("details", [](const Json& details, const std::string& place, Counts& into) {
    for (const auto& [name, figure] : details.items())
      into.details[name] = figure_from(figure, place + "/" + name);
  });
  counts.notes = texts_from(json, "notes", where);
  counts.flags = texts_from(json, "flags", where);
  return counts;
}

}  // namespace rooftune::roofline
