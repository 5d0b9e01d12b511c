// A schema of docs/schema, and whether a document keeps to it.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "core/json.h"

namespace rooftune::testing {

class PublishedSchema {
 public:
  explicit PublishedSchema(const std::string& name) {
    json_ = plain(read_json(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/schema" /
                            (name + ".schema.json")));
    const valijson::adapters::NlohmannJsonAdapter adapter(json_);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, schema_);
  }
  bool holds(const Json& document) {
    const nlohmann::json target = plain(document);
    return valijson::Validator().validate(schema_, valijson::adapters::NlohmannJsonAdapter(target),
                                          nullptr);
  }
  /// The events that it describes.
  std::set<std::string> events() const {
    std::set<std::string> names;
    for (const auto& one : json_.at("oneOf")) names.insert(one["properties"]["event"]["const"]);
    return names;
  }

 private:
  /// The validator's adapter is for JSON without order.
  static nlohmann::json plain(const Json& json) { return nlohmann::json::parse(json.dump()); }

  nlohmann::json json_;
  valijson::Schema schema_;
};

}  // namespace rooftune::testing
