#include "mutator.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <sstream>

#include "core/json.h"

namespace rooftune::fuzz {
namespace {

constexpr std::size_t longest = std::size_t{1} << 16;

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{"\"",
                                            "\\",
                                            "\\u0000",
                                            "\\ud800",
                                            "{",
                                            "}",
                                            "[",
                                            "]",
                                            ",",
                                            ":",
                                            "null",
                                            "true",
                                            "-",
                                            "-0",
                                            "1e999",
                                            "1e-999",
                                            "NaN",
                                            "0x",
                                            "**",
                                            "//",
                                            "%",
                                            "<=",
                                            "==",
                                            "!=",
                                            " and ",
                                            " or ",
                                            "not ",
                                            " in ",
                                            " if",
                                            " else ",
                                            "range(",
                                            "min(",
                                            "max(",
                                            "sum(",
                                            "len(",
                                            "str(",
                                            "(",
                                            ")",
                                            "'",
                                            "lambda",
                                            "2**63",
                                            "-2**63",
                                            "1//0",
                                            "0**-1",
                                            "\n",
                                            "\r\n",
                                            "\t",
                                            std::string(1, '\0'),
                                            "\x1f\x8b",
                                            "\xff",
                                            "\xc3\xa9",
                                            "\xef\xbb\xbf",
                                            "9223372036854775807",
                                            "1_000",
                                            "[x for x in range(9)]",
                                            "pow(",
                                            "powers(1,",
                                            "abs(",
                                            "int('",
                                            "..",
                                            "/../",
                                            "=",
                                            ";"};
  return all;
}

std::size_t place(const std::string& text, Rng& rng) { return rng.below(text.size() + 1); }

/// One change of a text that need not be anything.
void damage_bytes(std::string& text, const std::vector<std::string>& pool, Rng& rng) {
  const std::size_t at = place(text, rng), length = rng.below(1 + rng.below(text.size() - at + 1));
  const std::string& other = pool[rng.below(pool.size())];
  switch (rng.below(9)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(rng.below(256));
      break;
    case 2:
      text.erase(at, 1 + length / 4);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
    case 5:
      text.insert(at, words()[rng.below(words().size())]);
      break;
    case 6:
      text = text.substr(0, at) + other.substr(place(other, rng));
      break;
    case 7: {
      const std::string& word = words()[rng.below(words().size())];
      for (std::uint64_t i = 1 + rng.below(400); i > 0; --i) text.insert(at, word);
      break;
    }
    default:
      text.resize(at);
  }
}

void collect(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  if (all.size() > 5000 || !json.is_structured()) return;
  for (Json& child : json) collect(child, all);
}

Json stranger(Rng& rng) {
  static const std::vector<Json> all{nullptr,
                                     true,
                                     false,
                                     0,
                                     1,
                                     -1,
                                     2147483648,
                                     INT64_MAX,
                                     INT64_MIN,
                                     0.5,
                                     1e300,
                                     5e-324,
                                     -0.0,
                                     "",
                                     "=",
                                     "=n",
                                     "x",
                                     "1/0",
                                     "1e999",
                                     "\xc3\xa9",
                                     Json::array(),
                                     Json::object(),
                                     Json::array({1, "a", Json::array()})};
  return all[rng.below(all.size())];
}

std::string damaged_words(std::string text, const std::vector<std::string>& pool, Rng& rng) {
  text.resize(std::min<std::size_t>(text.size(), 4000));
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) damage_bytes(text, pool, rng);
  return text;
}

/// One change that leaves a document a document.
void damage_member(Json& json, const std::vector<std::string>& pool, Rng& rng) {
  std::vector<Json*> all;
  collect(json, all);
  Json& target = *all[rng.below(all.size())];
  const Json other = *all[rng.below(all.size())];
  switch (rng.below(8)) {
    case 0:
      target = other;
      break;
    case 1:
      target = stranger(rng);
      break;
    case 2:
      if (target.is_object() && !target.empty())
        target.erase(
            std::next(target.begin(), static_cast<std::ptrdiff_t>(rng.below(target.size()))).key());
      else if (target.is_array() && !target.empty())
        target.erase(rng.below(target.size()));
      break;
    case 3:
      if (target.is_array())
        for (std::uint64_t i = 1 + rng.below(rng.below(20) == 0 ? 600 : 3); i > 0; --i)
          target.push_back(other);
      break;
    case 4:
      if (target.is_object()) target[words()[rng.below(words().size())]] = other;
      break;
    case 5:
      if (target.is_number())
        target = rng.below(2) ? Json(target.get<double>() * -1) : Json(rng.next() >> rng.below(64));
      break;
    default:
      if (target.is_string()) target = damaged_words(target.get<std::string>(), pool, rng);
  }
}

}  // namespace

std::string damaged(const std::vector<std::string>& pool, Rng& rng) {
  std::string text = pool[rng.below(pool.size())];
  Json json =
      rng.below(4) == 0 ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
  // Mostly one change: what is broken in many places is refused for the first.
  std::uint64_t edits = 1;
  while (edits < 6 && rng.below(3) == 0) ++edits;
  if (!json.is_discarded()) {
    for (std::uint64_t i = 0; i < edits; ++i) damage_member(json, pool, rng);
    text = json.dump(rng.below(2) ? -1 : 1, ' ', false, Json::error_handler_t::replace);
    if (rng.below(8) != 0) return text.substr(0, longest);
  }
  for (std::uint64_t i = 0; i < edits; ++i) damage_bytes(text, pool, rng);
  return text.substr(0, longest);
}

std::string damaged_bytes(std::string text, Rng& rng) {
  const std::vector<std::string> pool{text};
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) damage_bytes(text, pool, rng);
  return text;
}

std::string kind_of(const std::string& message) {
  std::string kind;
  std::istringstream words(message);
  bool quoted = false;
  for (std::string word; words >> word && kind.size() < 60;) {
    const bool place = word.find('/') != std::string::npos;
    for (const char c : word) {
      if (c == '"' || c == '\'') quoted = !quoted;
      if (!quoted && !place && std::isalpha(static_cast<unsigned char>(c)) != 0) kind += c;
    }
    kind += ' ';
  }
  return kind;
}

std::string packed(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string output(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  deflate(&stream, Z_FINISH);
  output.resize(output.size() - stream.avail_out);
  deflateEnd(&stream);
  return output;
}

}  // namespace rooftune::fuzz
