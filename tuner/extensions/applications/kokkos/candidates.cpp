// Kokkos' values for one of its variables, and the meaning of a number or text among them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kokkos/tuning.h"

namespace rooftune::kokkos {
namespace {

/// A tile on the host has fewer points than this (max_tile_size_product of Kokkos' host spaces).
constexpr std::int64_t host_tile = 1024;
/// Of a range with more values the search sees so many, evenly spread.
constexpr double most_values = 64;

/// In steps of its own: a range of `step` 0 is divided.
std::vector<tools::Value> values_of(const tools::Range& range, int type) {
  std::vector<tools::Value> values;
  if (type == tools::type_text) return values;
  const bool real = type == tools::type_real;
  const auto number = [&](const tools::Value& value) {
    return real ? value.real : static_cast<double>(value.integer);
  };
  const double lower = number(range.lower), upper = number(range.upper);
  if (!(upper >= lower) || !std::isfinite(lower) || !std::isfinite(upper)) return values;
  double step = number(range.step);
  if (!(step > 0)) step = real ? (upper - lower) / most_values : 1;
  if (!(step > 0)) step = 1;
  const double count = std::floor((upper - lower) / step + 1e-9);
  const double stride = std::max(1.0, std::ceil(count / most_values));
  for (double k = 0; k <= count; k += stride) {
    tools::Value value{};
    const double at = lower + k * step;
    if (real)
      value.real = at;
    else
      value.integer = range.lower.integer + static_cast<std::int64_t>(k * step);
    if (range.open_lower && at <= lower) continue;
    if (range.open_upper && at >= upper - 1e-12 * step) continue;
    values.push_back(value);
  }
  return values;
}

std::vector<tools::Value> values_of(const tools::Declaration& info) {
  if (info.quantity == tools::quantity_range) return values_of(info.candidates.range, info.type);
  std::vector<tools::Value> values;
  if (info.quantity != tools::quantity_set) return values;
  const tools::Set& set = info.candidates.set;
  for (std::size_t i = 0; i < set.size; ++i) {
    tools::Value value{};
    if (info.type == tools::type_real)
      value.real = set.values.real[i];
    else if (info.type == tools::type_integer)
      value.integer = set.values.integer[i];
    else
      std::memcpy(value.text, set.values.text[i], tools::text_length - 1);
    values.push_back(value);
  }
  return values;
}

std::optional<double> number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_whole(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

VariableName variable_name(const std::string& name) {
  for (const auto& [end, role] :
       {std::pair{"_team_size", Role::team_size}, {"_vector_length", Role::vector_length}})
    if (name.size() > std::strlen(end) && name.ends_with(end))
      return {name.substr(0, name.size() - std::strlen(end)), role, 0};
  constexpr const char* tile = "_tile_size_";
  const std::size_t at = name.rfind(tile);
  if (at != std::string::npos && at + std::strlen(tile) + 1 == name.size() &&
      is_whole(name.substr(name.size() - 1)))
    return {name.substr(0, at), Role::tile_size, name.back() - '0'};
  return {name, Role::other, 0};
}

Candidates::Candidates(VariableName name, const tools::Declaration& info)
    : name_(std::move(name)), type_(info.type), values_(values_of(info)) {
  if (type_ == tools::type_real && info.quantity == tools::quantity_range)
    step_ = info.candidates.range.step.real;
}

bool Candidates::is_position() const {
  return name_.role != Role::other && type_ == tools::type_real;
}

std::vector<std::int64_t> Candidates::sizes(const Place& place, std::int64_t taken) const {
  std::vector<std::int64_t> sizes;
  if (!is_position() || !place.on_host) return sizes;
  if (name_.role == Role::vector_length) return {1};
  if (name_.role == Role::team_size)
    for (std::int64_t size = place.most_threads; size >= 1; size /= 2) sizes.push_back(size);
  else
    for (std::int64_t size = 1; size < host_tile / taken; size *= 2) sizes.push_back(size);
  return sizes;
}

std::string Candidates::text(const tools::Value& value) const {
  if (type_ == tools::type_text) return value.text;
  if (type_ == tools::type_integer) return std::to_string(value.integer);
  const std::string digits = fmt::format("{:.6g}", value.real);
  // Whole numbers would be sizes.
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

std::vector<std::string> Candidates::choices(const Place& place) const {
  std::vector<std::string> choices;
  for (const std::int64_t size : sizes(place, 1)) choices.push_back(std::to_string(size));
  if (choices.empty())
    for (const tools::Value& value : values_) choices.push_back(text(value));
  return choices;
}

std::optional<tools::Value> Candidates::answer(const std::string& choice, const Place& place,
                                               std::int64_t& taken) const {
  if (is_position() && is_whole(choice)) {
    const std::vector<std::int64_t> all = sizes(place, taken);
    const auto size = std::find(all.begin(), all.end(), std::strtoll(choice.c_str(), nullptr, 10));
    if (size == all.end()) return std::nullopt;
    if (name_.role == Role::tile_size) taken *= *size;
    // Kokkos takes the size at count * position.
    const auto wanted = static_cast<std::size_t>(size - all.begin());
    for (const tools::Value& value : values_)
      if (static_cast<std::size_t>(static_cast<double>(all.size()) * value.real) == wanted)
        return value;
    return std::nullopt;
  }
  for (const tools::Value& value : values_) {
    if (text(value) == choice) return value;
    const std::optional<double> asked = number(choice);
    if (type_ == tools::type_real && asked &&
        std::abs(*asked - value.real) <= 1e-3 * (step_ > 0 ? step_ : std::abs(value.real)))
      return value;
  }
  return std::nullopt;
}

std::int64_t Candidates::usual_tile(std::size_t dimensions) {
  return dimensions <= 2 ? 16 : dimensions == 3 ? 8 : dimensions == 4 ? 4 : 2;
}

}  // namespace rooftune::kokkos
