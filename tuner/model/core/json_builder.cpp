// Events of the parser become values, with limits and places.
#include "core/json_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::core {
namespace {

constexpr std::size_t most_levels = 200;
/// So many are compared one by one, faster than a set.
constexpr std::size_t few_members = 16;

}  // namespace

bool JsonBuilder::number_unsigned(number_unsigned_t v) {
  if (v > static_cast<std::uint64_t>(INT64_MAX)) out_of_range(std::to_string(v));
  return put(static_cast<std::int64_t>(v));
}

bool JsonBuilder::number_float(number_float_t v, const std::string& text) {
  // An integer beyond 64 bits arrives here, rounded.
  if (text.find_first_of(".eE") == std::string::npos) out_of_range(text);
  return put(v);
}

bool JsonBuilder::key(std::string& name) {
  source_.mark();
  if (passing_over()) return true;
  name = plain_text(std::move(name));
  if (!is_new(name)) fail(fmt::format("member \"{}\" appears twice", excerpt(name)));
  key_ = std::move(name);
  return true;
}

bool JsonBuilder::is_new(const std::string& name) {
  Level& level = stack_.back();
  // The members of a streamed list are not in the object.
  if (!element() && level.json->is_object()) {
    const auto& object = level.json->get_ref<const Json::object_t&>();
    if (object.size() <= few_members)
      return std::none_of(object.begin(), object.end(),
                          [&](const auto& member) { return member.first == name; });
    // A set beside the object: its own look-up is linear, and a hostile file has many members.
    if (level.members.empty())
      for (const auto& member : object) level.members.insert(member.first);
  }
  return level.members.insert(name).second;
}

bool JsonBuilder::put(Json value) {
  source_.mark();
  if (passing_over()) return true;
  insert(std::move(value));
  if (element()) deliver();
  return true;
}

bool JsonBuilder::open(Json container) {
  source_.mark();
  if (stack_.size() + over_ == most_levels)
    fail(fmt::format("nested deeper than {} levels", most_levels));
  if (passing_over()) {
    ++over_;
    return true;
  }
  const auto& lists = elements_.members;
  const bool list = stack_.size() == 1 && stack_.front().json->is_object() &&
                    std::find(lists.begin(), lists.end(), key_) != lists.end();
  std::string name = list ? key_ : std::string();
  stack_.push_back({insert(std::move(container)), {}});
  if (!list) return true;
  may_end_ = may_end_ || name == elements_.may_end_in;
  list_ = std::move(name);
  index_ = 0;
  return true;
}

bool JsonBuilder::close() {
  source_.mark();
  if (over_ > 0) {
    --over_;
    return true;
  }
  stack_.pop_back();
  if (stack_.size() == 1) list_.clear();
  if (element()) deliver();
  return true;
}

Json* JsonBuilder::insert(Json value) {
  count();
  if (stack_.empty()) {
    rest.json = std::move(value);
    return &rest.json;
  }
  if (element()) {
    element_name_ = std::move(key_);
    element_ = std::move(value);
    return &element_;
  }
  Json& owner = *stack_.back().json;
  if (owner.is_array()) return &owner.emplace_back(std::move(value));
  auto& object = owner.get_ref<Json::object_t&>();
  if (object.empty()) object.reserve(4);
  return &object.emplace_back(std::move(key_), std::move(value)).second;
}

void JsonBuilder::count() {
  std::size_t& values = listed() ? element_values_ : values_;
  const std::size_t most = listed() ? most_element_values : most_values;
  if (++values > most)
    fail(fmt::format("{} has more than {} values", listed() ? "one element" : "the file", most),
         "no reader of such files needs so many; is it the right file?");
}

void JsonBuilder::deliver() {
  const bool named = stack_.back().json->is_object();
  elements_.take(list_, named ? element_name_ : std::to_string(index_), element_);
  ++index_;
  element_values_ = 0;
}

bool JsonBuilder::may_end_here() const {
  return may_end_ && source_.ended() && (stack_.size() == 1 || list_ == elements_.may_end_in);
}

bool JsonBuilder::parse_error(std::size_t position, const std::string& last,
                              const nlohmann::detail::exception& fault) {
  if (may_end_here()) {
    rest.cut = true;
    return false;
  }
  // nlohmann says "[id] parse error at line 1, column 2: cause; last read: 'token'"; the place is
  // ours, and a token can be long.
  std::string message = fault.what();
  message.erase(0, std::min(message.size(), message.find(": ") + 2));
  message.resize(std::min(message.size(), message.find("; last read")));
  if (!last.empty()) message += "; last read: '" + excerpt(last) + "'";
  throw Error(excerpt(message, 300), source_.place(position));
}

void JsonBuilder::fail(const std::string& message, const std::string& hint) const {
  throw Error(message, source_.place(source_.consumed()), hint);
}

void JsonBuilder::out_of_range(const std::string& text) const {
  fail("integer out of range (64 bits): " + excerpt(text));
}

}  // namespace rooftune::core
