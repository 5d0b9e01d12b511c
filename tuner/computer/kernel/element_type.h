// The types that kernel arguments may have: one table says what each is called here, in C++, C,
// Fortran and Python, and how results are compared.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "core/fields.h"

namespace rooftune::kernel {

enum class Element {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
  half,
  bfloat16,
  float32,
  float64,
  complex_float,
  complex_double,
  bytes
};

struct ElementRow {
  ROOFTUNE_NESTED_ENUM(Family, integer, natural, truth, real, complex, bytes)
  std::string word;  ///< in kernel.json
  size_t size;       ///< [B]; 0: each type has its own
  Family family;
  std::string cpp;      ///< in generated C++; a source's own type has the same bytes
  std::string c;        ///< an element, in C headers; void where C has no name for it
  std::string c_value;  ///< a scalar in C; a complex one is passed by its address
  std::string fortran;  ///< a scalar
  std::string ctype;    ///< a scalar in Python's ctypes
  std::string formats;  ///< in Python's buffers, separated by blanks; "": any format with this size
  double epsilon;       ///< unit in the last place for 1; 0: exact types
  double relative;      ///< allowed difference unless a manifest states one
  /// A source must use exactly this name, and Fortran has arrays of the type; else their address is
  /// passed.
  bool is_named_so() const {
    const bool half = family == Family::real && size == 2;
    return size > 0 && family != Family::complex && !half;
  }
};

/// A row and the size of an element.
class ElementType {
 public:
  static constexpr const char* wanted = "a word";
  ElementType(Element element = Element::float64);
  /// "float", "bytes:24"; nullopt for another word.
  static std::optional<ElementType> named(const std::string& word);
  /// All words, for messages.
  static std::string words();

  std::string word() const;
  std::string cpp() const;
  size_t size() const { return size_; }
  Element element() const { return element_; }
  const ElementRow& row() const;
  bool is(ElementRow::Family family) const { return row().family == family; }
  bool is_integer() const {
    return is(ElementRow::Family::integer) || is(ElementRow::Family::natural);
  }
  /// Real or complex: results of all other types are equal or wrong.
  bool is_rounded() const { return row().epsilon > 0; }
  bool operator==(const ElementType&) const = default;

 private:
  Element element_;
  size_t size_;
};

inline Json to_json(const ElementType& type) { return type.word(); }
void decode(const Place& place, ElementType& type);

}  // namespace rooftune::kernel
