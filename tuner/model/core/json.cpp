// Text to JSON with a place in every fault.
#include "core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <unordered_set>

#include "core/file.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

constexpr std::size_t most_levels = 200;
/// So many are compared one by one, faster than a set.
constexpr std::size_t few_members = 16;

/// Builds a document event by event: refuses input the parser would accept silently, and documents
/// too large for memory.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  /// `where` names the file in faults.
  JsonBuilder(const std::string& text, const std::string& where, std::size_t most_values)
      : text_(text), where_(where), most_values_(most_values), stream_(text) {}

  Json document() {
    if (!Json::sax_parse(stream_, this)) fail("malformed JSON");
    return std::move(json_);
  }

  bool null() override { return put(nullptr); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(number_integer_t v) override { return put(v); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > static_cast<std::uint64_t>(INT64_MAX)) out_of_range(std::to_string(v));
    return put(static_cast<std::int64_t>(v));
  }
  bool number_float(number_float_t v, const std::string& text) override {
    // An integer beyond 64 bits arrives here, rounded.
    if (text.find_first_of(".eE") == std::string::npos) out_of_range(text);
    return put(v);
  }
  bool string(std::string& v) override { return put(plain_text(std::move(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    name = plain_text(std::move(name));
    if (!is_new(name)) fail(fmt::format("member \"{}\" appears twice", excerpt(name)));
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& last,
                   const nlohmann::detail::exception& fault) override {
    // nlohmann says "[id] parse error at line 1, column 2: cause; last read: 'token'"; the place is
    // ours, and a token can be long.
    std::string message = fault.what();
    message.erase(0, std::min(message.size(), message.find(": ") + 2));
    message.resize(std::min(message.size(), message.find("; last read")));
    if (!last.empty()) message += "; last read: '" + excerpt(last) + "'";
    throw Error(excerpt(message, 300), place(position));
  }

 private:
  struct Level {
    Json* json;
    std::unordered_set<std::string> members;  ///< of a large object only
  };

  bool put(Json value) {
    insert(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (stack_.size() == most_levels) fail(fmt::format("nested deeper than {} levels", most_levels));
    stack_.push_back({insert(std::move(container)), {}});
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }
  Json* insert(Json value) {
    if (++values_ > most_values_)
      fail(fmt::format("the file has more than {} values", most_values_),
           "no reader of such files needs so many; is it the right file?");
    if (stack_.empty()) return &(json_ = std::move(value));
    Json& owner = *stack_.back().json;
    if (owner.is_array()) return &owner.emplace_back(std::move(value));
    auto& object = owner.get_ref<Json::object_t&>();
    if (object.empty()) object.reserve(4);
    return &object.emplace_back(std::move(key_), std::move(value)).second;
  }
  /// Whether the object at hand had no member of this name so far.
  bool is_new(const std::string& name) {
    Level& level = stack_.back();
    const auto& object = level.json->get_ref<const Json::object_t&>();
    if (object.size() <= few_members)
      return std::ranges::none_of(object, [&](const auto& member) { return member.first == name; });
    // A set beside the object: its own look-up is linear, and a hostile file has many members.
    if (level.members.empty())
      for (const auto& member : object) level.members.insert(member.first);
    return level.members.insert(name).second;
  }

  /// "file:line:column" of the byte numbered `position`; all three count from 1.
  std::string place(std::size_t position) const {
    const std::string_view before =
        std::string_view(text_).substr(0, std::max<std::size_t>(position, 1) - 1);
    // Without a newline npos + 1 is 0, the begin of the text.
    return fmt::format("{}:{}:{}", where_, 1 + std::ranges::count(before, '\n'),
                       before.size() - (before.rfind('\n') + 1) + 1);
  }
  /// At most one byte past the token in hand.
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) {
    const auto read = stream_.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
    throw Error(message, place(static_cast<std::size_t>(read)), hint);
  }
  [[noreturn]] void out_of_range(const std::string& text) {
    fail("integer out of range (64 bits): " + excerpt(text));
  }

  const std::string &text_, &where_;
  std::size_t most_values_, values_ = 0;
  std::istringstream stream_;
  std::vector<Level> stack_;
  std::string key_;
  Json json_;
};

}  // namespace

Json parse_json(const std::string& text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.bytes)
    throw Error(fmt::format("is larger than the limit of {} bytes", limits.bytes), where);
  return JsonBuilder(text, where, limits.values).document();
}

Json read_json(const std::filesystem::path& file) {
  return parse_json(read_text(file, JsonLimits().bytes), file.string());
}

std::string json_text(const Json& json, int indent) {
  return plain_text(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace rooftune::core
