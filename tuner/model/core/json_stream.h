// Large JSON documents with elements used one by one, in the memory of a single element.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/json.h"

namespace rooftune::core {

/// Most values of a document, and of one element of a streamed list.
inline constexpr std::size_t most_values = 1'000'000, most_element_values = 100'000;

/// The parts of a document not kept.
struct JsonElements {
  /// Arrays or objects of the document's top object, streamed element by element.
  std::vector<std::string> members;
  /// Gets the name of the list, the element's name or number there, and the element; none: elements
  /// are passed over, and only their syntax is looked at.
  std::function<void(const std::string& list, const std::string& name, const Json& element)> take;
  /// A list in which the document may end, as of a file with a killed writer: complete elements
  /// count. Empty: none may.
  std::string may_end_in;
};

struct JsonRest {
  Json json;         ///< the document; streamed lists are empty
  bool cut = false;  ///< it ended inside `may_end_in`
};

/// Reads a document with the limits of parse_json, its elements apart: nothing of them is held
/// after `take` returns. Throws Error with "where:line:column".
JsonRest parse_json_elements(ByteSource& bytes, const std::string& where,
                             const JsonElements& elements);

}  // namespace rooftune::core
