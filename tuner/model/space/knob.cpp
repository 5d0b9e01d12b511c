#include "space/knob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"

namespace rooftune::space {

const Value& Configuration::at(const std::string& knob) const {
  const auto* found = value_at(values_, knob);
  if (found) return *found;
  throw Error(fmt::format("the configuration has no knob \"{}\"", knob), {},
              did_you_mean(knob, keys_of(values_), ""));
}

std::string Configuration::key() const {
  std::string key;
  for (const auto& [name, value] : values_) join(key, name + "=" + to_text(value), " ");
  return key;
}

Json to_json(const Configuration& configuration) { return facts_json(configuration.values()); }

void decode(const Place& place, Configuration& configuration) {
  if (!place->is_object()) return place.unexpected("an object");
  place.each([&](const std::string& name, const Place& member) {
    Value value;
    if (member->is_structured() || member->is_null())
      member.fault("expected a number, text or truth");
    else
      decode(member, value);
    configuration.set(name, std::move(value));
  });
}

std::string difference_text(const Configuration& configuration, const Configuration& baseline) {
  std::string text;
  for (const auto& [name, value] : configuration.values())
    if (!baseline.has(name) || baseline.at(name) != value)
      join(text, name + "=" + to_text(value), " ");
  return text.empty() ? "(baseline)" : text;
}

namespace {

bool consists_of(const std::string& text, const char* characters) {
  return !text.empty() && is_only_of(text, characters);
}

constexpr const char* name_text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
constexpr const char* macro_text =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.";
constexpr const char* variable_text =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.,:(){}";

/// Allows any of the words, integers in the range, or with neither truths.
struct SettingRow {
  Knob::Kind kind;
  const char* word;
  const char* expected;
  std::array<const char*, 4> words = {};
  int64_t least = 0, most = -1, step = 1;

  bool allows(const Value& value) const {
    if (words.front())
      return value.is_text() &&
             any_of(words, [&](const char* one) { return one && value.text() == one; });
    if (most < least) return value.is_bool();
    return value.is_integer() && least <= value.integer() && value.integer() <= most &&
           value.integer() % step == 0;
  }
};
constexpr std::array<SettingRow, 8> setting_rows{{
    {Knob::Kind::openmp, threads_setting, "an integer from 1 to 65536", {}, 1, 65536},
    {Knob::Kind::openmp,
     "schedule",
     "static, dynamic, guided or auto",
     {"static", "dynamic", "guided", "auto"}},
    {Knob::Kind::openmp, "chunk", "an integer, 0 for the default chunk", {}, 0, INT32_MAX},
    {Knob::Kind::memory, "huge_pages", "true or false"},
    {Knob::Kind::memory, "first_touch", "serial or parallel", {"serial", "parallel"}},
    {Knob::Kind::memory, "numa_policy", "local or interleave", {"local", "interleave"}},
    {Knob::Kind::memory, "memory_tier", "default or fast", {"default", "fast"}},
    {Knob::Kind::memory, "offset", "bytes, a multiple of 8", {}, 0, INT64_MAX, 8},
}};

/// Empty for a valid value, else the expected kind of value.
std::string expected_by_setting(const Knob& knob, const Value& value) {
  for (const SettingRow& row : setting_rows)
    if (row.kind == knob.kind && row.word == knob.setting)
      return row.allows(value) ? "" : row.expected;
  return "";
}

std::string expected_by_kind(const Knob& knob, const Value& value) {
  using enum Knob::Kind;
  switch (knob.kind) {
    case compile:
      return !value.is_text() || consists_of(value.text(), macro_text)
                 ? ""
                 : "letters, digits and _ + - . (it becomes a macro)";
    case environment:
      return consists_of(to_text(value), variable_text) ? ""
                                                        : "letters, digits and _ + - . , : ( ) { }";
    default:
      return expected_by_setting(knob, value);
  }
}

/// Families of -f options (g++, clang++) that change a function's code and nothing else: their
/// names go on with a hyphen. Most compilers have others that load code, or read or write files.
constexpr std::string_view code_options =
    "aggressive align allow approx associative asynchronous-unwind auto-inc bit-tests "
    "branch-count builtin caller code-hoisting combine compare-elim conserve cprop crossjumping "
    "cse cx data-sections dce defer-pop delete denormal devirtualize dse early exceptions excess "
    "expensive fast finite float fold forward fp function-cse function-sections gcse graphite "
    "guess hoist honor if-conversion if-conversion2 indirect inline ipa ira isolate ivopts jump "
    "lifetime limit-function live-range loop lra math merge modulo move non-call nothrow omit "
    "openacc openmp openmp-simd optimize partial peel peephole peephole2 plt predictive prefetch "
    "printf-return reciprocal ree rename reorder reroll rerun reschedule rounding rtti sched "
    "sched2 schedule section-anchors sel selective semantic shrink-wrap signaling signed-zeros "
    "simd single slp split ssa stack-clash stack-protector stack-reuse stdarg store strict thread "
    "threadsafe toplevel tracer trapping tree unconstrained unroll unsafe unswitch unwind "
    "variable-expansion veclib vect vectorize version visibility web wrapv";
/// How -m options begin: instruction sets, their tuning, registers and stacks.
constexpr std::string_view machine_options =
    "3dnow abm accumulate adx aes align altivec amx arch= avx bmi branch-cost= cldemote "
    "clflushopt clwb cmodel= cpu= crc32 cx16 daz f16c fancy-math fma fpmath= fused gather "
    "general-regs gfni hard-float ieee-fp incoming-stack inline large-data low-precision lzcnt "
    "memcpy memset mmx movbe move-max= omit-leaf outline-atomics pclmul popcnt power prefer "
    "preferred-stack prf push-args rdrnd rdseed recip red-zone rvv sahf scatter sha sse ssse3 "
    "stackrealign store-max= strict-align stringop stv sve tbm tune vaes veclibabi= vpclmul vsx "
    "vzeroupper xop xsave";

/// Whether `name` or a beginning of it is listed. A beginning must end before a character from
/// `ends`, unless `ends` is empty.
bool begins_as_listed(std::string_view name, std::string_view list, std::string_view ends) {
  if (name.starts_with("no-")) name.remove_prefix(3);
  for (size_t size = 1; size <= name.size(); ++size)
    if ((size == name.size() || ends.empty() || contains(ends, name[size])) &&
        is_among(name.substr(0, size), list))
      return true;
  return false;
}

bool consists_of(std::string_view text, std::string_view extra) {
  return all_of(text, [&](char c) { return (c >= 'a' && c <= 'z') || contains(extra, c); });
}

/// name, or name=value where the value is no path.
bool option(std::string_view text, std::string_view extra_in_name) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (name.empty() || !consists_of(name, extra_in_name)) return false;
  if (equals == std::string_view::npos) return true;
  const std::string_view value = text.substr(equals + 1);
  return !value.empty() && !contains(value, "..") &&
         consists_of(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,.+-");
}

/// NVRTC options that affect the code only.
bool cuda_option(std::string_view text) {
  constexpr std::string_view registers = "--maxrregcount=";
  if (text.starts_with(registers)) {
    const std::string_view count = text.substr(registers.size());
    return !count.empty() && count.size() <= 3 && is_only_of(count, "0123456789");
  }
  return is_among(text,
                  "--fmad=true --fmad=false --ftz=true --ftz=false --prec-div=true "
                  "--prec-div=false --prec-sqrt=true --prec-sqrt=false --use_fast_math "
                  "--extra-device-vectorization --restrict");
}

}  // namespace

size_t Knob::index_of(const Value& value) const {
  return size_t(std::ranges::find(values, value) - values.begin());
}

const Knob* thread_knob(const Knobs& knobs) {
  return first_where(knobs, [](const Knob& knob) {
    return knob.kind == Knob::Kind::openmp && knob.setting == threads_setting;
  });
}

double cartesian_size(const Knobs& knobs) {
  double product = 1;
  for (const Knob& knob : knobs) product *= double(knob.values.size());
  return product;
}

Json facts_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = to_json(value);
  return json;
}

Texts settings_of(Knob::Kind kind) {
  Texts words;
  for (const SettingRow& row : setting_rows)
    if (row.kind == kind) words.emplace_back(row.word);
  return words;
}

std::vector<ValueFault> value_faults(const Knob& knob) {
  std::vector<ValueFault> faults;
  for (const Value& value : knob.values) {
    const std::string expected = expected_by_kind(knob, value);
    if (!expected.empty())
      faults.push_back({fmt::format("value {} is not allowed here", excerpt(to_text(value))),
                        "expected " + expected});
  }
  return faults;
}

std::string name_fault(const std::string& name) {
  const bool starts_right = !name.empty() && name[0] != '_' && (name[0] < '0' || name[0] > '9');
  if (!starts_right || !consists_of(name, name_text))
    return "a name starts with a letter and has only letters, digits and _";
  const bool taken = is_among(name, "and or not in if else is for lambda true True false False pi");
  return taken ? "the name is a word of the expression language" : "";
}

std::string macro_name(const std::string& name) { return "KNOB_" + macro_word(name); }

const char* const allowed_flags_hint =
    "allowed are -O levels, and the -f and -m options that change the code of functions; for CUDA "
    "--fmad, --ftz, --prec-div, --prec-sqrt, --use_fast_math, --maxrregcount";
const char* const allowed_variables_hint = "allowed are OMP_*, GOMP_*, KMP_* and MALLOC_*";

bool allowed_flag(const std::string& flag) {
  const std::string_view text = flag;
  if (text.starts_with("--")) return cuda_option(text);
  if (text.starts_with("-O")) return is_among(text, "-O -O0 -O1 -O2 -O3 -Os -Og -Ofast");
  if (text.size() < 3 || !option(text.substr(2), "0123456789-.")) return false;
  if (text.starts_with("-m")) return begins_as_listed(text.substr(2), machine_options, "");
  return text.starts_with("-f") && begins_as_listed(text.substr(2), code_options, "-=");
}

bool allowed_variable(const std::string& variable) {
  return any_word("OMP_ GOMP_ KMP_ MALLOC_", [&](std::string_view family) {
    return variable.size() > family.size() && std::string_view(variable).starts_with(family) &&
           all_of(variable, [](char c) {
             return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
           });
  });
}

}  // namespace rooftune::space
