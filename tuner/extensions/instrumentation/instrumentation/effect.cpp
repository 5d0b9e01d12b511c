// Countable effects of one instruction: accesses of memory and floating-point operations.
#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "core/list.h"
#include "core/pattern.h"
#include "instrumentation/instruction.h"

namespace rooftune::instrumentation {
namespace {

/// "addpd" of "vaddpd", "movq" of "vmovq": one name for both encodings.
std::string plain_name(const Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  return name.size() > 2 && name[0] == 'v' ? name.substr(1) : name;
}

/// A value of each of the words between blanks.
template <class Value>
using Listed = std::initializer_list<std::pair<Value, const char*>>;
template <class Value>
std::map<std::string, Value> by_word(Listed<Value> lists) {
  std::map<std::string, Value> all;
  for (const auto& [value, words] : lists) {
    std::istringstream stream(words);
    for (std::string word; stream >> word;) all.emplace(word, value);
  }
  return all;
}

/// Bytes at the memory operand of instructions where the name alone decides; 0: it does not.
int fixed_bytes(const std::string& name) {
  static const auto table = by_word<int>({
      {1, "pbroadcastb pinsrb pextrb kmovb"},
      {2, "movsh pbroadcastw pinsrw pextrw kmovw fldcw fnstcw filds fistps"},
      {4,
       "movss movd broadcastss pbroadcastd insertps pinsrd pextrd extractps "
       "cvtsi2sdl cvtsi2ssl cvtsi2sd cvtsi2ss cvtusi2sdl cvtusi2ssl cvttss2si "
       "cvtss2sd kmovd ldmxcsr stmxcsr flds fsts fstps fildl fistpl fadds fsubs "
       "fmuls fdivs fdivrs"},
      {8,
       "movsd movhps movlps movhpd movlpd broadcastsd broadcastf32x2 "
       "broadcasti32x2 pbroadcastq pinsrq pextrq cvtsi2sdq cvtsi2ssq cvtusi2sdq "
       "cvtusi2ssq cvttsd2si cvtsd2si cvttsd2sil cvttsd2siq cvtsd2ss kmovq fldl "
       "fstl fstpl fildq fildll fistpq fistpll fisttpll faddl fsubl fmull fdivl "
       "fdivrl"},
      {10, "fldt fstpt"},
      {16,
       "broadcastf128 broadcasti128 broadcastf32x4 broadcasti32x4 broadcastf64x2 "
       "broadcasti64x2 cmpxchg16b insertf128 inserti128 extractf128 extracti128"},
      {32, "broadcastf32x8 broadcasti32x8 broadcastf64x4 broadcasti64x4"},
      {64, "movdir64b"},
  });
  const auto* found = value_at(table, name);
  return found ? *found : 0;
}

/// The widest vector register among the operands; 0 without one.
int vector_bytes(const Instruction& instruction) {
  int widest = 0;
  for (const Operand& operand : instruction.operands)
    if (const Register one = register_of(operand.text); operand.is_register() && one.is_vector())
      widest = std::max(widest, one.bytes);
  return widest;
}

std::string mask_of(const Instruction& instruction) {
  for (const Operand& operand : instruction.operands)
    if (!operand.mask.empty()) return operand.mask;
  return {};
}

/// x87; it computes in 80 bits for operands of any size.
std::optional<std::string> x87_kind(const std::string& mnemonic) {
  static const Pattern arithmetic("fi?(add|subr|sub|mul|divr|div|sqrt)(p|s|l|ll)?");
  static const auto kinds = by_word<const char*>(
      {{"add", "add sub subr"}, {"mul", "mul"}, {"div", "div divr"}, {"sqrt", "sqrt"}});
  const auto match = arithmetic.match(mnemonic);
  if (!match) return std::nullopt;
  return kinds.at((*match)[1]);
}

/// As the processors' own counters have it: moves, conversions, comparisons and rounding are none;
/// minima, maxima and reciprocal estimates are one each, an fma is one of kind fma.
std::vector<Operations> operations_of(const Instruction& instruction) {
  // "vfnmadd231pd", "addsd": a kind, packed or scalar, doubles, singles or halves.
  static const Pattern fused("fn?m(?:add|sub|addsub|subadd)(?:132|213|231)?([ps])([dsh])");
  static const Pattern plain("([a-z]+[0-9]*)([ps])([dsh])");
  static const auto kinds =
      by_word<const char*>({{"add", "add sub addsub hadd hsub"},
                            {"mul", "mul"},
                            {"div", "div"},
                            {"sqrt", "sqrt"},
                            {"minmax", "min max"},
                            {"other", "rcp rsqrt rcp14 rsqrt14 rcp28 rsqrt28 exp2"}});
  if (const auto kind = x87_kind(instruction.mnemonic)) return {{"fp80", *kind, 1, {}}};
  const std::string name = plain_name(instruction);
  const auto widest = [&] { return std::max(16, vector_bytes(instruction)); };
  if (instruction.is("dpbf16ps vdpbf16ps"))
    return {{"bf16", "fma", widest() / 2, mask_of(instruction)}};
  auto match = fused.match(name);
  const bool fma = match.has_value();
  if (!fma) match = plain.match(name);
  if (!match) return {};
  const auto kind = fma ? kinds.end() : kinds.find((*match)[1]);
  if ((!fma && kind == kinds.end()) || instruction.operands.empty()) return {};
  const char packed = (*match)[fma ? 1 : 2][0], type = (*match)[fma ? 2 : 3][0];
  const int bytes = type == 'd' ? 8 : type == 's' ? 4 : 2;
  return {{bytes == 8   ? "fp64"
           : bytes == 4 ? "fp32"
                        : "fp16",
           fma ? "fma" : kind->second, packed == 'p' ? widest() / bytes : 1, mask_of(instruction)}};
}

/// "addq", "shrl", "imulq": the kind of a scalar operation of whole numbers.
std::optional<std::string> scalar_integer(const std::string& mnemonic) {
  static const auto kinds =
      by_word<const char*>({{"add", "add sub adc sbb inc dec neg not and or xor lea andn"},
                            {"shift", "shl shr sar sal rol ror shld shrd"},
                            {"mul", "mul imul"},
                            {"div", "div idiv"},
                            {"compare", "cmp test"}});
  for (std::string name = mnemonic; name.size() > 1; name.pop_back()) {
    if (const auto* found = value_at(kinds, name)) return *found;
    if (mnemonic.size() - name.size() > 1 ||
        std::string("bwlqx").find(name.back()) == std::string::npos)
      break;
  }
  return std::nullopt;
}

/// Operations on whole numbers. Words count as two bytes each.
std::vector<Operations> integers_of(const Instruction& instruction) {
  const int widest = vector_bytes(instruction);
  if (widest == 0) {
    const auto kind = scalar_integer(instruction.mnemonic);
    return kind ? std::vector<Operations>{{"int64", *kind, 1, {}}} : std::vector<Operations>{};
  }
  static const Pattern form(
      "p(add|sub|min[su]|max[su]|abs|and|andn|or|xor|cmpeq|cmpgt|sll|srl|sra|sllv|srlv|srav|rolv?|"
      "rorv?|mull|muludq|muldq|maddwd|maddubsw|avg)(us|s)?([bwdq]?)");
  const auto match = form.match(plain_name(instruction));
  if (!match) return {};
  const std::string &what = (*match)[1], &size = (*match)[3];
  const std::string kind = what.starts_with("cmp")                             ? "compare"
                           : begins(what, "sll srl sra rol ror")               ? "shift"
                           : what.starts_with("m") && !begins(what, "min max") ? "mul"
                                                                               : "add";
  const int bytes = what.starts_with("madd") || is_among(size, "b w") ? 1
                    : is_among(size, "d")                             ? 4
                                                                      : 8;
  const std::string precision = bytes == 8 ? "int64" : bytes == 4 ? "int32" : "int8";
  return {{precision, kind + " in vectors", widest / bytes, {}}};
}

int element_of_suffix(const std::string& name) {
  const auto ends = [&](std::string_view words) {
    return any_word(words, [&](std::string_view one) { return name.ends_with(one); });
  };
  if (ends("64 pd sd q")) return 8;
  if (ends("32 ps ss d")) return 4;
  return ends("16 ph w") ? 2 : ends("8 b") ? 1 : 4;
}

/// Bytes meant by one of these letters for sizes, each twice the one before; 0 for another letter.
int letter_bytes(char letter, std::string_view letters, int first) {
  const size_t at = letters.find(letter);
  return at == std::string_view::npos ? 0 : first << at;
}

/// pmovzxbw, pmovsxdq; pmovqd, pmovusdw: the memory operand's share of the wide register.
int narrowing(const std::string& name) {
  static const Pattern form("pmov(zx|sx|us|s)?([bwdq])([bwdq])");
  const auto match = form.match(name);
  if (!match) return 0;
  const int a = letter_bytes((*match)[2][0], "bwdq", 1),
            b = letter_bytes((*match)[3][0], "bwdq", 1);
  return std::max(a, b) / std::min(a, b);
}

/// Extracts and inserts of a part: vextractf64x4.
int part_bytes(const std::string& name) {
  static const Pattern form("(extract|insert)[fi](32|64)x([248])");
  const auto match = form.match(name);
  if (!match) return 0;
  return std::stoi((*match)[2]) / 8 * std::stoi((*match)[3]);
}

/// Conversions with a memory operand half as wide as the widest register, or with its width behind
/// the name.
int conversion_bytes(const std::string& name, int widest) {
  if (begins(
          name,
          "cvtdq2pd cvtudq2pd cvtps2pd cvtph2ps cvtps2ph cvtps2qq cvtps2uqq cvttps2qq cvttps2uqq"))
    return widest / 2;
  return name.starts_with("cvt") ? letter_bytes(name.back(), "xyz", 16) : 0;
}

int suffix_bytes(const std::string& name) { return letter_bytes(name.back(), "bwlq", 1); }

/// movzbl, movslq: the source is the narrower; cmov, shlx and their like have the register's width.
int general_operand_bytes(const Instruction& instruction) {
  static const Pattern extension("mov[zs]([bwl])[wlq]");
  const std::string& name = instruction.mnemonic;
  if (const auto match = extension.match(name)) return suffix_bytes((*match)[1]);
  if (name.starts_with("set")) return 1;
  if (begins(name, "call jmp push pop")) return 8;
  for (auto operand = instruction.operands.rbegin(); operand != instruction.operands.rend();
       ++operand)
    if (operand->is_register() && register_of(operand->text).bytes > 0 &&
        !begins(name, "shl shr sar sal rol ror"))
      return register_of(operand->text).bytes;
  const int by_suffix = suffix_bytes(name);
  if (by_suffix > 0) return by_suffix;
  for (const Operand& operand : instruction.operands)
    if (register_of(operand.text).bytes > 0) return register_of(operand.text).bytes;
  return 0;
}

/// Bytes at the memory operand; 0: not understood.
int memory_bytes(const Instruction& instruction, const Operand& memory) {
  const std::string name = plain_name(instruction);
  if (memory.broadcast) return element_of_suffix(name);
  const int widest = vector_bytes(instruction);
  // Without two operands it is a string instruction.
  if (instruction.is("movsd vmovsd") && instruction.operands.size() != 2) return 0;
  if (instruction.is("movq vmovq") && widest > 0) return 8;
  if (instruction.is("movddup vmovddup")) return widest == 16 ? 8 : widest;
  if (const int fixed = fixed_bytes(name)) return fixed;
  if (const int part = part_bytes(name)) return part;
  if (const int ratio = narrowing(name); ratio > 0 && widest > 0) return widest / ratio;
  if (const int bytes = conversion_bytes(name, widest)) return bytes;
  if (name.starts_with("cvt") && widest > 0) return widest;
  if (widest > 0) {
    static const Pattern scalar(".*s[sdh]");
    const bool whole = begins(name, "pmuludq movs pabs");
    if (scalar.matches(name) && !whole && !name.starts_with("p")) return element_of_suffix(name);
    return widest;
  }
  return general_operand_bytes(instruction);
}

bool only_reads(const Instruction& instruction) {
  const std::string name = plain_name(instruction);
  if (name.starts_with("cmpxchg")) return false;
  if (begins(name, "cmp test ucomi comi ptest fld fild fadd fsub fmul fdiv push call jmp ldmxcsr"))
    return true;
  if (instruction.is("bt btl btq")) return true;
  return instruction.operands.size() == 1 && begins(name, "mul imul div idiv");
}

bool only_writes(const Instruction& instruction) {
  const std::string name = plain_name(instruction);
  return begins(name,
                "mov set pextr extract fst fist fnst stmxcsr kmov cvt pmov compress pcompress "
                "maskmov pmaskmov pop pscatter scatter");
}

/// Index register and scale of "8(%rax,%zmm1,8)".
bool parse_indices(const std::string& operand, Access& access) {
  static const Pattern form(R"(([^(]*)\(([^,)]*),\s*(%[xyz]mm[0-9]+)\s*(?:,\s*([1248]))?\))");
  const auto match = form.match(operand);
  if (!match) return false;
  const std::string &offset = (*match)[1], &base = (*match)[2], &scale = (*match)[4];
  access.indices = (*match)[3];
  access.scale = scale.empty() ? 1 : std::stoi(scale);
  access.operand = offset + (base.empty() ? "" : "(" + base + ")");
  return true;
}

/// [v]gatherqpd, vpgatherdq, vscatterdps: 'd' or 'q' indices, then the elements.
bool indexed_access(const Instruction& instruction, Access& access) {
  static const Pattern form("p?(gather|scatter)([dq])(pd|ps|d|q)");
  const auto match = form.match(plain_name(instruction));
  if (!match) return false;
  access.index_bytes = element_of_suffix((*match)[2]);
  access.element = element_of_suffix((*match)[3]);
  for (const Operand& operand : instruction.operands)
    if (operand.is_memory() && !parse_indices(operand.text, access)) return false;
  access.mask = mask_of(instruction);
  if (access.mask.empty() && instruction.operands.size() == 3)
    access.mask = instruction.operands[0].text;
  access.kind = (*match)[1][0] == 's' ? Access::Kind::store : Access::Kind::load;
  access.lanes = std::min(vector_bytes(instruction) / access.element,
                          register_of(access.indices).bytes / access.index_bytes);
  access.bytes = access.lanes * access.element;
  return !access.mask.empty() && access.lanes > 0;
}

void set_mask(const Instruction& instruction, Access& access) {
  const std::string name = plain_name(instruction);
  // A compare writes a mask register; a decoration of it selects lanes as well.
  access.mask = mask_of(instruction);
  // AVX's masked moves have the mask in the middle, in the sign bits of a vector.
  if (begins(name, "maskmov pmaskmov") && instruction.operands.size() == 3)
    access.mask = instruction.operands[1].text;
  access.compressed = begins(name, "compress pcompress expand pexpand");
  access.element = element_of_suffix(name);
  // The mask of a scalar or a broadcast adds nothing to a trace of addresses.
  if (access.bytes <= access.element) access.mask.clear();
}

void add_memory_operand(const Instruction& instruction, size_t position, Effect& effect) {
  const Operand& memory = instruction.operands[position];
  const std::string name = plain_name(instruction);
  Access access;
  access.operand = memory.text;
  access.bytes = memory_bytes(instruction, memory);
  if (name.starts_with("prefetch")) {
    access.kind = Access::Kind::prefetch;
    access.bytes = 1;
  }
  if (access.bytes <= 0) {
    effect.unknown = true;
    return;
  }
  set_mask(instruction, access);
  const bool last = position + 1 == instruction.operands.size();
  if (access.kind == Access::Kind::prefetch || !last || only_reads(instruction)) {
    effect.accesses.push_back(access);
    return;
  }
  const bool writes_only = only_writes(instruction);
  if (!writes_only) effect.accesses.push_back(access);
  access.kind = name.starts_with("movnt") ? Access::Kind::streamed : Access::Kind::store;
  effect.accesses.push_back(access);
}

}  // namespace

Effect effect_of(const Instruction& instruction) {
  Effect effect;
  effect.operations = operations_of(instruction);
  if (effect.operations.empty()) effect.integers = integers_of(instruction);
  const std::string& name = instruction.mnemonic;
  // An address, but no access.
  if (begins(name, "lea nop endbr clflush clwb clzero invlpg")) return effect;
  if (begins(name, "tile tdp") && !instruction.is("tilerelease")) effect.unknown = true;
  Access access;
  if (contains(name, "gather") || contains(name, "scatter")) {
    if (indexed_access(instruction, access))
      effect.accesses.push_back(access);
    else
      effect.unknown = true;
    return effect;
  }
  // The target of a branch is no data.
  if (instruction.is_call() || instruction.is_jump()) return effect;
  for (const size_t i : indices(instruction.operands)) {
    const Operand& operand = instruction.operands[i];
    if (!operand.is_memory()) continue;
    // lea cannot take addresses of thread-local variables.
    if (contains(operand.text, ':')) continue;
    add_memory_operand(instruction, i, effect);
  }
  return effect;
}

}  // namespace rooftune::instrumentation
