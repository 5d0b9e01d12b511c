// The table behind element_type.h.
#include "kernel/element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/number.h"
#include "core/split.h"

namespace rooftune::kernel {
namespace {

/// Rows in the order of Element; columns are the members of ElementRow. Fortran has no unsigned
/// numbers: the bits are the same.
constexpr const char* table =
    R"(int8|1|integer|std::int8_t|int8_t|int8_t|integer(c_int8_t)|c_int8|b h i l q|0|0
int16|2|integer|std::int16_t|int16_t|int16_t|integer(c_int16_t)|c_int16|b h i l q|0|0
int32|4|integer|std::int32_t|int32_t|int32_t|integer(c_int32_t)|c_int32|b h i l q|0|0
int64|8|integer|std::int64_t|int64_t|int64_t|integer(c_int64_t)|c_int64|b h i l q|0|0
uint8|1|natural|std::uint8_t|uint8_t|uint8_t|integer(c_int8_t)|c_uint8|B H I L Q|0|0
uint16|2|natural|std::uint16_t|uint16_t|uint16_t|integer(c_int16_t)|c_uint16|B H I L Q|0|0
uint32|4|natural|std::uint32_t|uint32_t|uint32_t|integer(c_int32_t)|c_uint32|B H I L Q|0|0
uint64|8|natural|std::uint64_t|uint64_t|uint64_t|integer(c_int64_t)|c_uint64|B H I L Q|0|0
bool|1|truth|bool|bool|bool|logical(c_bool)|c_bool|?|0|0
half|2|real|rooftune::Half|void|float|real(c_float)|c_float|e H|0x1p-10|1e-2
bfloat16|2|real|rooftune::BFloat16|void|float|real(c_float)|c_float|H|0x1p-7|5e-2
float|4|real|float|float|float|real(c_float)|c_float|f|0x1p-23|1e-5
double|8|real|double|double|double|real(c_double)|c_double|d|0x1p-52|1e-12
complex<float>|8|complex|std::complex<float>|void|const void*|complex(c_float_complex)|c_float|Zf|0x1p-23|1e-5
complex<double>|16|complex|std::complex<double>|void|const void*|complex(c_double_complex)|c_double|Zd|0x1p-52|1e-12
bytes|0|bytes|rooftune::Structure|void||type(c_ptr)|c_char||0|0
)";

ElementRow row_of(const std::string& line) {
  const Texts columns = split(line, '|');
  auto column = columns.begin();
  const auto next = [&] { return *column++; };
  // In braces the columns are read from left to right.
  return {next(),
          std::stoul(next()),
          enumerator<ElementRow::Family>("family", next()),
          next(),
          next(),
          next(),
          next(),
          next(),
          next(),
          std::stod(next()),
          std::stod(next())};
}

/// All but the types with their own size, which come last.
const std::vector<ElementRow>& rows() {
  static const std::vector<ElementRow> all = [] {
    std::vector<ElementRow> made;
    for (const std::string& line : split(table)) made.push_back(row_of(line));
    return made;
  }();
  return all;
}

constexpr std::string_view structure_prefix = "bytes:";
/// A larger element is an array.
constexpr size_t most_structure_bytes = 1U << 16;

}  // namespace

ElementType::ElementType(Element element) : element_(element), size_(row().size) {}

const ElementRow& ElementType::row() const { return rows()[size_t(element_)]; }

std::optional<ElementType> ElementType::named(const std::string& word) {
  if (word.starts_with(structure_prefix)) {
    ElementType type(Element::bytes);
    type.size_ = number_in<size_t>(word.substr(structure_prefix.size())).value_or(0);
    const bool is_size = type.size_ > 0 && type.size_ <= most_structure_bytes;
    return is_size ? std::optional(type) : std::nullopt;
  }
  const auto found = std::ranges::find(rows(), word, &ElementRow::word);
  if (rows().end() - found < 2) return std::nullopt;
  return Element(found - rows().begin());
}

std::string ElementType::words() {
  std::string all;
  for (const ElementRow& row : rows()) all += row.size > 0 ? row.word + " " : "";
  return all + "bytes:24 (a structure of 24 bytes)";
}

std::string ElementType::word() const {
  return element_ == Element::bytes ? fmt::format("bytes:{}", size_) : row().word;
}

std::string ElementType::cpp() const {
  return element_ == Element::bytes ? fmt::format("rooftune::Structure<{}>", size_) : row().cpp;
}

void decode(const Place& place, ElementType& type) {
  const auto named =
      place->is_string() ? ElementType::named(place->get<std::string>()) : std::nullopt;
  if (named)
    type = *named;
  else
    place.fault("unknown type " + shown(*place), ElementType::words());
}

}  // namespace rooftune::kernel
