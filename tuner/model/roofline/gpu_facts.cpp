#include "roofline/gpu_facts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "core/units.h"

namespace rooftune::roofline {
namespace {

/// `text` fits `pattern`, where * stands for any text.
bool fits(const char* pattern, const char* text) {
  if (*pattern == '\0') return *text == '\0';
  if (*pattern != '*') return *pattern == *text && fits(pattern + 1, text + 1);
  for (; *text != '\0'; ++text)
    if (fits(pattern + 1, text)) return true;
  return fits(pattern + 1, text);
}

int count(ObjectReader& reader, const char* key) {
  const std::int64_t number = reader.integer(key);
  if (number >= 1 && number <= std::numeric_limits<int>::max()) return static_cast<int>(number);
  if (reader.has(key)) reader.fault(key, "must be at least 1 and fit 32 bits");
  return 0;
}

/// Whole bytes of {"value": 164, "unit": "KiB"}.
std::int64_t bytes(ObjectReader& reader, const char* key, bool none_allowed = false) {
  std::int64_t result = 0;
  const bool present = reader.object(key, [&](ObjectReader& member) {
    const double value = member.real("value");
    const std::string unit = member.text("unit");
    try {
      const double all = unit.empty() ? value : value * bytes_unit(unit);
      const bool whole = std::isfinite(all) && all == std::trunc(all) && all < 0x1p53;
      if (whole && (all > 0 || (none_allowed && all == 0)))
        result = static_cast<std::int64_t>(all);
      else if (member.has("value"))
        member.fault("value", "must be a positive whole number of bytes");
    } catch (const Error& error) {
      member.fault("unit", error.message(), error.hint());
    }
    member.finish();
  });
  if (!present)
    reader.fault(key, "is missing (an amount of memory)", R"({"value": 164, "unit": "KiB"})");
  return result;
}

int capability(ObjectReader& reader, const char* key) {
  const std::string text = reader.text(key);
  if (text.empty()) return 0;
  int major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, major);
  const bool dot = whole.ec == std::errc() && whole.ptr != end && *whole.ptr == '.';
  const auto part = dot ? std::from_chars(whole.ptr + 1, end, minor) : whole;
  if (dot && part.ec == std::errc() && part.ptr == end && major >= 1 && major < 100 && minor >= 0 &&
      minor <= 9)
    return 10 * major + minor;
  reader.fault(key, fmt::format("\"{}\" is no compute capability", excerpt(text)),
               "major.minor in quotation marks: \"8.0\"");
  return 0;
}

void check(ObjectReader& reader, const GpuFacts& facts) {
  if (facts.devices.empty() && !reader.has("devices"))
    reader.fault("devices", "is missing (names of the cards it describes)",
                 "[\"NVIDIA A100-SXM4-40GB\"]; * stands for any text");
  if (facts.warp > 0 && facts.threads_per_multiprocessor % facts.warp != 0)
    reader.fault("threads_per_multiprocessor", "must be a multiple of \"warp\"");
  if (facts.shared_per_block + facts.shared_reserved > facts.shared_per_multiprocessor)
    reader.fault("shared_per_block",
                 "with \"shared_reserved\" it is more than \"shared_per_multiprocessor\"");
  if (facts.registers_per_block > facts.registers_per_multiprocessor)
    reader.fault("registers_per_block", "is more than \"registers_per_multiprocessor\"");
}

}  // namespace

bool GpuFacts::describes(const std::string& device) const {
  for (const std::string& pattern : devices)
    if (fits(pattern.c_str(), device.c_str())) return true;
  return false;
}

std::string compute_capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

GpuFacts read_gpu_facts(ObjectReader& reader) {
  GpuFacts facts;
  facts.devices = reader.texts("devices");
  facts.compute_capability = capability(reader, "compute_capability");
  facts.multiprocessors = count(reader, "multiprocessors");
  for (const char* optional : {"warp", "threads_per_block"}) reader.know(optional);
  if (reader.has("warp")) facts.warp = count(reader, "warp");
  if (facts.warp > 0 && facts.warp != 32 && facts.warp != 64)
    reader.fault("warp", "must be 32 or 64 threads");
  facts.threads_per_multiprocessor = count(reader, "threads_per_multiprocessor");
  facts.blocks_per_multiprocessor = count(reader, "blocks_per_multiprocessor");
  if (reader.has("threads_per_block")) facts.threads_per_block = count(reader, "threads_per_block");
  facts.registers_per_multiprocessor = count(reader, "registers_per_multiprocessor");
  facts.registers_per_block = count(reader, "registers_per_block");
  facts.shared_per_multiprocessor = bytes(reader, "shared_per_multiprocessor");
  facts.shared_per_block = bytes(reader, "shared_per_block");
  facts.shared_reserved = bytes(reader, "shared_reserved", true);
  facts.l2 = bytes(reader, "l2");
  facts.memory = bytes(reader, "memory");
  check(reader, facts);
  reader.finish();
  return facts;
}

Json to_json(const GpuFacts& facts) {
  const auto amount = [](std::int64_t all) {
    const bool kibibytes = all % 1024 == 0;
    return Json{{"value", kibibytes ? all / 1024 : all}, {"unit", kibibytes ? "KiB" : "B"}};
  };
  return Json{{"devices", facts.devices},
              {"compute_capability", compute_capability_text(facts.compute_capability)},
              {"multiprocessors", facts.multiprocessors},
              {"warp", facts.warp},
              {"threads_per_multiprocessor", facts.threads_per_multiprocessor},
              {"blocks_per_multiprocessor", facts.blocks_per_multiprocessor},
              {"threads_per_block", facts.threads_per_block},
              {"registers_per_multiprocessor", facts.registers_per_multiprocessor},
              {"registers_per_block", facts.registers_per_block},
              {"shared_per_multiprocessor", amount(facts.shared_per_multiprocessor)},
              {"shared_per_block", amount(facts.shared_per_block)},
              {"shared_reserved", amount(facts.shared_reserved)},
              {"l2", amount(facts.l2)},
              {"memory", amount(facts.memory)}};
}

}  // namespace rooftune::roofline
