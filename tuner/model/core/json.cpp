// Text to JSON with a place in every fault.
#include "core/json.h"

#include <fmt/format.h>

#include "core/file.h"
#include "core/json_builder.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

/// Limit of documents held whole: kernels, spaces, machines, lines of records.
constexpr std::size_t most_bytes = std::size_t{1} << 26;

}  // namespace

JsonRest parse_json_elements(ByteSource& bytes, const std::string& where,
                             const JsonElements& elements) {
  JsonSource source(bytes, where);
  JsonBuilder builder(source, elements);
  if (!Json::sax_parse(source.begin(), source.end(), &builder) && !builder.rest.cut)
    throw Error("malformed JSON", source.place(source.consumed()));
  return std::move(builder.rest);
}

Json parse_json(const std::string& text, const std::string& where) {
  if (text.size() > most_bytes)
    throw Error(fmt::format("is larger than the limit of {} bytes", most_bytes), where);
  TextSource bytes(text);
  return parse_json_elements(bytes, where, {}).json;
}

Json read_json(const std::filesystem::path& file) {
  return parse_json(read_text(file, most_bytes), file.string());
}

std::string json_text(const Json& json, int indent) {
  return plain_text(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace rooftune::core
