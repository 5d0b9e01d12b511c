// What rooftune/capture.h has written of one call.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel/element_type.h"

namespace rooftune::scaffold {

struct CapturedArgument {
  std::string name;  ///< of the call
  ElementType type = Element::int32;
  std::string value;        ///< of a scalar
  std::int64_t count = -1;  ///< of an array; -1: a scalar
  std::string size;         ///< its count as the call has it, C++
  bool written = false;
  bool is_array() const { return count >= 0; }
  static void fields(auto& self, auto& visit) {
    visit("name", self.name)("type", self.type).defaulted("value", self.value);
    visit.defaulted("count", self.count).defaulted("size", self.size);
    visit.defaulted("written", self.written);
  }
};

struct Capture {
  std::filesystem::path folder;
  std::string function, source;  ///< the file of the call
  std::int64_t line = 0, call = 0;
  std::optional<ElementType> returns;
  std::vector<CapturedArgument> arguments;
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-capture-1", "is no capture of a call");
    visit("function", self.function)("source", self.source)("line", self.line);
    visit("call", self.call).defaulted("returns", self.returns)("arguments", self.arguments);
  }
  /// The file of an array before the call, or after it.
  std::filesystem::path file(const std::string& array, bool result) const;
};

/// Reads the capture in `folder`, or the only one in folders below it. Throws Error: none, several
/// (with their names), or a damaged one.
Capture read_capture(const std::filesystem::path& folder);

}  // namespace rooftune::scaffold
