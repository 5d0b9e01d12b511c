// Text to JSON with a place in every fault.
// The caller owes the name of the file as `where`.
#include "core/json.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/file.h"
#include "core/json_source.h"

namespace rooftune {
namespace {

constexpr std::size_t depth_limit = 200;
constexpr std::size_t size_limit = std::size_t{1} << 30;

/// Builds the document event by event and refuses what nlohmann would accept silently.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(Json& root, const JsonSource& source, const std::string& where)
      : root_(root), source_(source), where_(where) {}

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
  bool string(std::string& v) override { return put(std::move(v)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    // A set beside the object: its own look-up is linear, and a hostile file has many members.
    if (!stack_.back().members.insert(name).second)
      fail(fmt::format("member \"{}\" appears twice", excerpt(name)));
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
    throw Error(excerpt(message, 300), source_.place(where_, position));
  }

 private:
  bool put(Json value) {
    insert(std::move(value));
    return true;
  }
  Json* insert(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& owner = *stack_.back().json;
    if (owner.is_array()) return &owner.emplace_back(std::move(value));
    return &owner.get_ref<Json::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
  }
  bool open(Json container) {
    if (stack_.size() == depth_limit)
      fail(fmt::format("nested deeper than {} levels", depth_limit));
    stack_.push_back({insert(std::move(container)), {}});
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(message, source_.place(where_, source_.consumed()));
  }
  [[noreturn]] void out_of_range(const std::string& text) const {
    fail("integer out of range (64 bits): " + excerpt(text));
  }
  Json& root_;
  const JsonSource& source_;
  const std::string& where_;
  struct Level {
    Json* json;
    std::unordered_set<std::string> members;
  };
  std::vector<Level> stack_;
  std::string key_;
};

}  // namespace

Json parse_json(const std::string& text, const std::string& where) {
  if (text.size() > size_limit)
    throw Error(fmt::format("is larger than the limit of {} bytes", size_limit), where);
  Json root;
  JsonSource source(text);
  Builder builder(root, source, where);
  if (!Json::sax_parse(source.begin(), source.end(), &builder))
    throw Error("malformed JSON", source.place(where, source.consumed()));
  return root;
}

Json read_json(const std::filesystem::path& file) {
  return parse_json(read_text(file, size_limit), file.string());
}

}  // namespace rooftune
