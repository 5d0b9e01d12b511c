// The project's only interface to JSON: parse with a place in every error, and say where a fault
// is.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/file.h"

namespace rooftune::core {

/// Keys stay in the order they were written in, so files diff well.
using Json = nlohmann::ordered_json;

/// Parses `text`; `where` (file name) prefixes every fault as "where:line:column". Limits nesting
/// to 200, size to 64 MiB and values to a million, so a hostile file ends in an Error and not in a
/// crash. NaN is refused; texts and names are plain_text.
Json parse_json(const std::string& text, const std::string& where);
/// Reads and parses a file; missing, unreadable or malformed files throw Error.
Json read_json(const fs::path& file);

/// JSON as text, always written this way: on one line, or with `indent` blanks a level. Invalid
/// UTF-8 becomes valid, and nothing in it moves a terminal's cursor.
std::string json_text(const Json& json, int indent = -1);

/// Where a member or element of the value at `where` lies: "file: /member", RFC 6901.
std::string place_of(const std::string& where, std::string_view step);
/// The value, short enough for one line of a fault.
std::string shown(const Json& json);
/// A member's text; empty where the member is missing or is no text. Json::value() would then throw
/// something that is no Error.
std::string text_of(const Json& json, const std::string& member);
/// Adds a fault for a member not in `known`, with the nearest known one.
void add_unknown(const std::string& where, const std::string& member, const Texts& known,
                 Faults& faults);

// Large documents whose elements are used one by one, in the memory that a single element takes.

/// How many values a document may have, and how many one element of a streamed list.
inline constexpr size_t most_values = 1'000'000, most_element_values = 100'000;

/// The parts of a document that are not kept.
struct JsonElements {
  /// Arrays or objects in the document's top object, streamed element by element.
  Texts members;
  /// Gets the list's name, the element's name or number there, and the element; without it elements
  /// are passed over, and only their syntax is looked at.
  std::function<void(const std::string& list, const std::string& name, const Json& element)> take;
  /// A list in which the document may end, as a file does whose writer was killed: complete
  /// elements count. Empty: the document may end in none.
  std::string may_end_in;
};

struct JsonRest {
  Json json;         ///< the document; streamed lists are empty
  bool cut = false;  ///< it ended inside `may_end_in`
};

/// Reads a document with parse_json's limits, its elements apart: none is held after `take`
/// returns. Throws Error with "where:line:column".
JsonRest parse_json_elements(ByteSource& bytes, const std::string& where,
                             const JsonElements& elements);

}  // namespace rooftune::core
