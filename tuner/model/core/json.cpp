// Text to JSON with a place in every fault.
#include "core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <unordered_set>

#include "core/file.h"
#include "core/list.h"
#include "core/text.h"
#include "core/unique.h"

namespace rooftune::core {
namespace {

/// Limits documents held whole: kernels, spaces, machines, a record's line.
constexpr size_t most_bytes = size_t{1} << 26;
constexpr size_t most_levels = 200;
/// Up to so many members are compared one by one, which is faster than a set.
constexpr size_t few_members = 16;

constexpr size_t most_suggestions = 100;

/// Pointer syntax from RFC 6901.
std::string escaped(std::string_view key) {
  std::string text;
  for (const char c : excerpt(key)) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += c;
  }
  return text;
}

/// A JSON document's bytes, read once and counted, so a fault has its line and column. Positions
/// are near the last byte read: the text before is gone.
class JsonSource : Unique {
 public:
  /// `where` names the file in places and faults.
  JsonSource(ByteSource& bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {
    refill();
  }

  /// A single-pass iterator over the rest; all iterators of one source are at the same place.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;
    explicit Iterator(JsonSource* source) : source_(source) {}
    reference operator*() const { return *source_->at_; }
    Iterator& operator++() {
      source_->advance();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return ended() == other.ended(); }

   private:
    bool ended() const { return source_ == nullptr || source_->ended(); }
    JsonSource* source_;
  };
  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(nullptr); }
  bool ended() const { return at_ == limit_; }
  /// Bytes read so far, at most one past the token in hand.
  size_t consumed() const { return before_ + size_t(at_ - block_); }
  /// The parser took a value, name or bracket: the next may again be `longest` bytes long.
  void mark() { mark_ = consumed(); }
  /// "file:line:column" for the byte numbered `position` (from 1), the last one read or its
  /// neighbour; line and column count from 1.
  std::string place(size_t position) const {
    const size_t at = std::min(position > 0 ? position - 1 : 0, consumed());
    size_t line = line_, start = starts_[0];
    for (size_t i = 1; i < starts_.size() && at < start && line > 1; ++i, --line)
      start = starts_[i];
    return fmt::format("{}:{}:{}", where_, line, at - start + 1);
  }

  /// How long a text, number or blank may be [B]: the parser holds all of it.
  static constexpr size_t longest = size_t{1} << 23;

 private:
  void advance() {
    if (*at_ == '\n') {
      starts_ = {consumed() + 1, starts_[0], starts_[1]};
      ++line_;
    }
    if (++at_ == limit_) refill();
  }
  void refill() {
    before_ = consumed();
    if (before_ - mark_ > longest)
      throw Error(fmt::format("a text, number or blank of more than {} bytes", longest),
                  place(before_), "no reader of such files needs one; is it the right file?");
    const std::string_view block = bytes_.next();
    block_ = at_ = block.data();
    limit_ = block_ + block.size();
  }

  ByteSource& bytes_;
  std::string where_;
  const char *block_ = nullptr, *at_ = nullptr, *limit_ = nullptr;
  size_t before_ = 0;  ///< bytes in the blocks before this one
  size_t mark_ = 0;
  size_t line_ = 1;
  std::array<size_t, 3> starts_{};  ///< in the current line and in those before
};

/// Builds a document event by event: refuses input the parser would accept silently, and documents
/// too large for memory.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(JsonSource& source, const JsonElements& elements)
      : source_(source), elements_(elements) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(number_integer_t v) override { return put(v); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > uint64_t(INT64_MAX)) out_of_range(std::to_string(v));
    return put(int64_t(v));
  }
  bool number_float(number_float_t v, const std::string& text) override {
    // An integer beyond 64 bits arrives here, rounded.
    if (!has_any_of(text, ".eE")) out_of_range(text);
    return put(v);
  }
  bool string(std::string& v) override { return put(plain_text(std::move(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    source_.mark();
    if (passing_over()) return true;
    name = plain_text(std::move(name));
    if (!is_new(name)) fail(fmt::format("member \"{}\" appears twice", excerpt(name)));
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t position, const std::string& last,
                   const nlohmann::detail::exception& fault) override {
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

  JsonRest rest;

 private:
  struct Level {
    Json* json;
    std::unordered_set<std::string> members;  ///< for a large object only
  };

  bool put(Json value) {
    source_.mark();
    if (passing_over()) return true;
    insert(std::move(value));
    if (element()) deliver();
    return true;
  }
  bool open(Json container) {
    source_.mark();
    if (stack_.size() + over_ == most_levels)
      fail(fmt::format("nested deeper than {} levels", most_levels));
    if (passing_over()) {
      ++over_;
      return true;
    }
    const auto& lists = elements_.members;
    const bool list =
        stack_.size() == 1 && stack_.front().json->is_object() && contains(lists, key_);
    std::string name = list ? key_ : std::string();
    stack_.push_back({insert(std::move(container)), {}});
    if (!list) return true;
    may_end_ = may_end_ || name == elements_.may_end_in;
    list_ = std::move(name);
    index_ = 0;
    return true;
  }
  bool close() {
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
  Json* insert(Json value) {
    size_t& values = listed() ? element_values_ : values_;
    const size_t most = listed() ? most_element_values : most_values;
    if (++values > most)
      fail(fmt::format("{} has more than {} values", listed() ? "one element" : "the file", most),
           "no reader of such files needs so many; is it the right file?");
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
  /// Whether the object at hand had no member with this name so far.
  bool is_new(const std::string& name) {
    Level& level = stack_.back();
    // A streamed list's members are not in the object.
    if (!element() && level.json->is_object()) {
      const auto& object = level.json->get_ref<const Json::object_t&>();
      if (object.size() <= few_members)
        return none_of(object, [&](const auto& member) { return member.first == name; });
      // A set beside the object: its own look-up is linear, and a hostile file has many members.
      if (level.members.empty())
        for (const auto& member : object) level.members.insert(member.first);
    }
    return level.members.insert(name).second;
  }
  void deliver() {
    const bool named = stack_.back().json->is_object();
    elements_.take(list_, named ? element_name_ : std::to_string(index_), element_);
    ++index_;
    element_values_ = 0;
  }
  bool may_end_here() const {
    return may_end_ && source_.ended() && (stack_.size() == 1 || list_ == elements_.may_end_in);
  }
  /// Whether the value at hand lies in a streamed list, and whether it is an element there.
  bool listed() const { return !list_.empty(); }
  bool element() const { return listed() && stack_.size() == 2; }
  bool passing_over() const { return listed() && !elements_.take; }
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const {
    throw Error(message, source_.place(source_.consumed()), hint);
  }
  [[noreturn]] void out_of_range(const std::string& text) const {
    fail("integer out of range (64 bits): " + excerpt(text));
  }

  JsonSource& source_;
  const JsonElements& elements_;
  std::vector<Level> stack_;
  std::string key_;
  size_t values_ = 0, element_values_ = 0;
  std::string list_;      ///< the open streamed list's name
  bool may_end_ = false;  ///< the list in which the document may end has begun
  size_t index_ = 0;      ///< the element at hand's, in its list
  size_t over_ = 0;       ///< how many levels deep in a skipped element
  Json element_;          ///< the list's, while it is read
  std::string element_name_;
};

}  // namespace

JsonRest parse_json_elements(ByteSource& bytes, const std::string& where,
                             const JsonElements& elements) {
  JsonSource source(bytes, where);
  JsonBuilder builder(source, elements);
  if (!Json::sax_parse(source.begin(), source.end(), &builder) && !builder.rest.cut)
    throw Error("malformed JSON", source.place(source.consumed()));
  return std::move(builder.rest);
}

Json parse_json(const std::string& text, const std::string& where) {
  if (text.size() > most_bytes)
    throw Error(fmt::format("is larger than the limit of {} bytes", most_bytes), where);
  TextSource bytes(text);
  return parse_json_elements(bytes, where, {}).json;
}

Json read_json(const fs::path& file) {
  return parse_json(read_text(file, most_bytes), file.string());
}

std::string json_text(const Json& json, int indent) {
  return plain_text(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string text_of(const Json& json, const std::string& member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string place_of(const std::string& where, std::string_view step) {
  // Without a file the pointer is a fragment, because "/x" could as well be a file's name.
  if (where.empty()) return "#/" + escaped(step);
  const bool pointer = where[0] == '#' || contains(where, ": /");
  return where + (pointer ? "/" : ": /") + escaped(step);
}

std::string shown(const Json& json) {
  if (json.is_object() || json.is_array()) return json.is_object() ? "an object" : "an array";
  return excerpt(json_text(json));
}

void add_unknown(const std::string& where, const std::string& member, const Texts& known,
                 Faults& faults) {
  // A person mistypes a few members; for a million, a search among all words costs too much.
  faults.add(place_of(where, member), fmt::format("unknown member \"{}\"", excerpt(member)),
             faults.size() < most_suggestions ? did_you_mean(member, known, "") : "");
}

}  // namespace rooftune::core
