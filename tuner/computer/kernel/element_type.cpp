// The table of types.
#include "kernel/element_type.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace rooftune::kernel {
namespace {

using Family = ElementRow::Family;

constexpr const char* whole_formats = "b h i l q";
constexpr const char* natural_formats = "B H I L Q";

// In the order of Element.
constexpr ElementRow rows[] = {
    {"int8", 1, Family::integer, "std::int8_t", true, "int8_t", "int8_t", "integer(c_int8_t)", true,
     "c_int8", whole_formats, 0, 0},
    {"int16", 2, Family::integer, "std::int16_t", true, "int16_t", "int16_t", "integer(c_int16_t)",
     true, "c_int16", whole_formats, 0, 0},
    {"int32", 4, Family::integer, "std::int32_t", true, "int32_t", "int32_t", "integer(c_int32_t)",
     true, "c_int32", whole_formats, 0, 0},
    {"int64", 8, Family::integer, "std::int64_t", true, "int64_t", "int64_t", "integer(c_int64_t)",
     true, "c_int64", whole_formats, 0, 0},
    // Fortran has no numbers without sign: the bits are the same.
    {"uint8", 1, Family::natural, "std::uint8_t", true, "uint8_t", "uint8_t", "integer(c_int8_t)",
     true, "c_uint8", natural_formats, 0, 0},
    {"uint16", 2, Family::natural, "std::uint16_t", true, "uint16_t", "uint16_t",
     "integer(c_int16_t)", true, "c_uint16", natural_formats, 0, 0},
    {"uint32", 4, Family::natural, "std::uint32_t", true, "uint32_t", "uint32_t",
     "integer(c_int32_t)", true, "c_uint32", natural_formats, 0, 0},
    {"uint64", 8, Family::natural, "std::uint64_t", true, "uint64_t", "uint64_t",
     "integer(c_int64_t)", true, "c_uint64", natural_formats, 0, 0},
    {"bool", 1, Family::truth, "bool", true, "bool", "bool", "logical(c_bool)", true, "c_bool", "?",
     0, 0},
    {"half", 2, Family::real, "rooftune::Half", false, "void", "float", "real(c_float)", false,
     "c_float", "e H", 0x1p-10, 1e-2},
    {"bfloat16", 2, Family::real, "rooftune::BFloat16", false, "void", "float", "real(c_float)",
     false, "c_float", "H", 0x1p-7, 5e-2},
    {"float", 4, Family::real, "float", true, "float", "float", "real(c_float)", true, "c_float",
     "f", 0x1p-23, 1e-5},
    {"double", 8, Family::real, "double", true, "double", "double", "real(c_double)", true,
     "c_double", "d", 0x1p-52, 1e-12},
    {"complex<float>", 8, Family::complex, "std::complex<float>", false, "void", "const void*",
     "complex(c_float_complex)", true, "c_float", "Zf", 0x1p-23, 1e-5},
    {"complex<double>", 16, Family::complex, "std::complex<double>", false, "void", "const void*",
     "complex(c_double_complex)", true, "c_double", "Zd", 0x1p-52, 1e-12},
    {"bytes", 0, Family::bytes, "rooftune::Structure", false, "void", "", "type(c_ptr)", false,
     "c_char", "", 0, 0},
};
static_assert(std::size(rows) == static_cast<std::size_t>(Element::bytes) + 1);

constexpr std::string_view structure_prefix = "bytes:";
/// Larger elements are arrays of smaller ones.
constexpr std::size_t most_structure_bytes = 1U << 16;

}  // namespace

const ElementRow& element_row(Element element) { return rows[static_cast<std::size_t>(element)]; }

ElementType::ElementType(Element element) : element_(element), size_(element_row(element).size) {}

const ElementRow& ElementType::row() const { return element_row(element_); }

std::optional<ElementType> ElementType::named(const std::string& word) {
  if (word.starts_with(structure_prefix)) {
    ElementType type(Element::bytes);
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data() + structure_prefix.size(), end, type.size_);
    const bool is_size = read.ec == std::errc() && read.ptr == end && type.size_ > 0 &&
                         type.size_ <= most_structure_bytes;
    return is_size ? std::optional(type) : std::nullopt;
  }
  for (std::size_t i = 0; i < std::size(rows) - 1; ++i)
    if (word == rows[i].word) return static_cast<Element>(i);
  return std::nullopt;
}

std::string ElementType::words() {
  std::string all;
  for (std::size_t i = 0; i < std::size(rows) - 1; ++i) all += std::string(rows[i].word) + " ";
  return all + "bytes:24 (a structure of 24 bytes)";
}

std::string ElementType::word() const {
  return element_ == Element::bytes ? fmt::format("bytes:{}", size_) : row().word;
}

std::string ElementType::cpp() const {
  return element_ == Element::bytes ? fmt::format("rooftune::Structure<{}>", size_) : row().cpp;
}

void decode(const Json& json, const Place& place, ElementType& type) {
  const auto named = json.is_string() ? ElementType::named(json.get<std::string>()) : std::nullopt;
  if (named)
    type = *named;
  else
    place.fault(fmt::format("unknown type {}", shown(json)), ElementType::words());
}

}  // namespace rooftune::kernel
