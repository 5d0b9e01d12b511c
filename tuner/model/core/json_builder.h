// Builder of a document, event by event: refuses input the parser would accept silently, and
// documents too large for memory.
#pragma once
#include <unordered_set>

#include "core/json_source.h"
#include "core/json_stream.h"
#include "core/text.h"

namespace rooftune::core {

class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(JsonSource& source, const JsonElements& elements)
      : source_(source), elements_(elements) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(number_integer_t v) override { return put(v); }
  bool number_unsigned(number_unsigned_t v) override;
  bool number_float(number_float_t v, const std::string& text) override;
  bool string(std::string& v) override { return put(plain_text(std::move(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override;
  bool parse_error(std::size_t position, const std::string& last,
                   const nlohmann::detail::exception& fault) override;

  JsonRest rest;

 private:
  struct Level {
    Json* json;
    std::unordered_set<std::string> members;  ///< of a large object only
  };

  bool put(Json value);
  bool open(Json container);
  bool close();
  Json* insert(Json value);
  /// Whether the object at hand had no member of this name so far.
  bool is_new(const std::string& name);
  void count();
  void deliver();
  bool may_end_here() const;
  /// Whether the value at hand lies in a streamed list, and is one of its elements.
  bool listed() const { return !list_.empty(); }
  bool element() const { return listed() && stack_.size() == 2; }
  bool passing_over() const { return listed() && !elements_.take; }
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  [[noreturn]] void out_of_range(const std::string& text) const;

  JsonSource& source_;
  const JsonElements& elements_;
  std::vector<Level> stack_;
  std::string key_;
  std::size_t values_ = 0, element_values_ = 0;
  std::string list_;       ///< name of the open streamed list
  bool may_end_ = false;   ///< the list in which the document may end has begun
  std::size_t index_ = 0;  ///< of the element at hand in its list
  std::size_t over_ = 0;   ///< levels of a skipped element
  Json element_;           ///< of the list, while it is read
  std::string element_name_;
};

}  // namespace rooftune::core
