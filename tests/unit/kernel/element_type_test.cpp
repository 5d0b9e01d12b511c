// The types of arguments: their words, sizes and names elsewhere.
#include "kernel/element_type.h"

#include <catch2/catch.hpp>

using namespace rooftune;

namespace {

struct TypeRow {
  const char* word;
  std::size_t size;
  const char* cpp;
  bool is_rounded;
};

constexpr TypeRow all_types[] = {
    {"int8", 1, "std::int8_t", false},
    {"int16", 2, "std::int16_t", false},
    {"int32", 4, "std::int32_t", false},
    {"int64", 8, "std::int64_t", false},
    {"uint8", 1, "std::uint8_t", false},
    {"uint16", 2, "std::uint16_t", false},
    {"uint32", 4, "std::uint32_t", false},
    {"uint64", 8, "std::uint64_t", false},
    {"bool", 1, "bool", false},
    {"half", 2, "rooftune::Half", true},
    {"bfloat16", 2, "rooftune::BFloat16", true},
    {"float", 4, "float", true},
    {"double", 8, "double", true},
    {"complex<float>", 8, "std::complex<float>", true},
    {"complex<double>", 16, "std::complex<double>", true},
    {"bytes:24", 24, "rooftune::Structure<24>", false},
};

ElementType read_back(const Json& json) {
  Faults faults;
  ElementType type = Element::float64;
  kernel::decode(Place(json, "here", faults), type);
  faults.raise();
  return type;
}

}  // namespace

TEST_CASE("every type of the table has its word, size and name in C++") {
  for (const TypeRow& row : all_types) {
    INFO(row.word);
    const auto type = ElementType::named(row.word);
    REQUIRE(type);
    CHECK(type->word() == row.word);
    CHECK(type->size() == row.size);
    CHECK(type->cpp() == row.cpp);
    CHECK(type->is_rounded() == row.is_rounded);
    CHECK(read_back(to_json(*type)) == *type);
    CHECK(ElementType::words().find(row.word) != std::string::npos);
  }
}

TEST_CASE("words that name no type are none") {
  for (const char* word :
       {"", "int", "float32", "int24", "complex", "complex<int>", "bytes", "bytes:", "bytes:0",
        "bytes:-4", "bytes:4x", "bytes:1e3", "bytes:99999999"}) {
    INFO(word);
    CHECK_FALSE(ElementType::named(word));
  }
  CHECK_THROWS_WITH(read_back("long"), Catch::Contains("here: unknown type"));
}
