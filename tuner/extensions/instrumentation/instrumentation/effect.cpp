#include "instrumentation/effect.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>

#include "instrumentation/arithmetic.h"

namespace rooftune::instrumentation {
namespace {

using Tokens = std::vector<std::string_view>;

bool begins(const std::string& name, const Tokens& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.starts_with(word); });
}

/// Bytes at the memory operand of instructions where the name alone decides.
const std::map<std::string, int>& fixed_bytes() {
  static const std::map<std::string, int> table{{"movss", 4},
                                                {"movsd", 8},
                                                {"movd", 4},
                                                {"movhps", 8},
                                                {"movlps", 8},
                                                {"movhpd", 8},
                                                {"movlpd", 8},
                                                {"movsh", 2},
                                                {"broadcastss", 4},
                                                {"broadcastsd", 8},
                                                {"broadcastf128", 16},
                                                {"broadcasti128", 16},
                                                {"broadcastf32x2", 8},
                                                {"broadcasti32x2", 8},
                                                {"broadcastf32x4", 16},
                                                {"broadcasti32x4", 16},
                                                {"broadcastf64x2", 16},
                                                {"broadcasti64x2", 16},
                                                {"broadcastf32x8", 32},
                                                {"broadcasti32x8", 32},
                                                {"broadcastf64x4", 32},
                                                {"broadcasti64x4", 32},
                                                {"pbroadcastb", 1},
                                                {"pbroadcastw", 2},
                                                {"pbroadcastd", 4},
                                                {"pbroadcastq", 8},
                                                {"insertps", 4},
                                                {"pinsrb", 1},
                                                {"pinsrw", 2},
                                                {"pinsrd", 4},
                                                {"pinsrq", 8},
                                                {"pextrb", 1},
                                                {"pextrw", 2},
                                                {"pextrd", 4},
                                                {"pextrq", 8},
                                                {"extractps", 4},
                                                {"cvtsi2sdl", 4},
                                                {"cvtsi2sdq", 8},
                                                {"cvtsi2ssl", 4},
                                                {"cvtsi2ssq", 8},
                                                {"cvtsi2sd", 4},
                                                {"cvtsi2ss", 4},
                                                {"cvtusi2sdl", 4},
                                                {"cvtusi2sdq", 8},
                                                {"cvtusi2ssl", 4},
                                                {"cvtusi2ssq", 8},
                                                {"cvttsd2si", 8},
                                                {"cvtsd2si", 8},
                                                {"cvttsd2sil", 8},
                                                {"cvttsd2siq", 8},
                                                {"cvttss2si", 4},
                                                {"cvtss2sd", 4},
                                                {"cvtsd2ss", 8},
                                                {"kmovb", 1},
                                                {"kmovw", 2},
                                                {"kmovd", 4},
                                                {"kmovq", 8},
                                                {"ldmxcsr", 4},
                                                {"stmxcsr", 4},
                                                {"fldcw", 2},
                                                {"fnstcw", 2},
                                                {"flds", 4},
                                                {"fldl", 8},
                                                {"fldt", 10},
                                                {"fsts", 4},
                                                {"fstl", 8},
                                                {"fstps", 4},
                                                {"fstpl", 8},
                                                {"fstpt", 10},
                                                {"filds", 2},
                                                {"fildl", 4},
                                                {"fildq", 8},
                                                {"fildll", 8},
                                                {"fistps", 2},
                                                {"fistpl", 4},
                                                {"fistpq", 8},
                                                {"fistpll", 8},
                                                {"fisttpll", 8},
                                                {"fadds", 4},
                                                {"faddl", 8},
                                                {"fsubs", 4},
                                                {"fsubl", 8},
                                                {"fmuls", 4},
                                                {"fmull", 8},
                                                {"fdivs", 4},
                                                {"fdivl", 8},
                                                {"fdivrs", 4},
                                                {"fdivrl", 8},
                                                {"cmpxchg16b", 16},
                                                {"movdir64b", 64},
                                                {"insertf128", 16},
                                                {"inserti128", 16},
                                                {"extractf128", 16},
                                                {"extracti128", 16}};
  return table;
}

/// The widest vector register among the operands; 0 without one.
int vector_bytes(const Instruction& instruction) {
  int widest = 0;
  for (const Operand& operand : instruction.operands)
    if (operand.is_register() && is_vector_register(operand.text))
      widest = std::max(widest, register_bytes(operand.text));
  return widest;
}

int element_of_suffix(const std::string& name) {
  if (name.ends_with("64") || name.ends_with("pd") || name.ends_with("sd") || name.ends_with("q"))
    return 8;
  if (name.ends_with("32") || name.ends_with("ps") || name.ends_with("ss") || name.ends_with("d"))
    return 4;
  if (name.ends_with("16") || name.ends_with("ph") || name.ends_with("w")) return 2;
  return name.ends_with("8") || name.ends_with("b") ? 1 : 4;
}

/// pmovzxbw, pmovsxdq; pmovqd, pmovusdw: the memory operand's share of the wide register.
std::optional<int> narrowing(const std::string& name) {
  static const std::regex form("pmov(zx|sx|us|s)?([bwdq])([bwdq])");
  std::smatch match;
  if (!std::regex_match(name, match, form)) return std::nullopt;
  const auto bytes = [](char c) { return c == 'b' ? 1 : c == 'w' ? 2 : c == 'd' ? 4 : 8; };
  const int a = bytes(match[2].str()[0]), b = bytes(match[3].str()[0]);
  return std::max(a, b) / std::min(a, b);
}

/// Extracts and inserts of a part: vextractf64x4.
std::optional<int> part_bytes(const std::string& name) {
  static const std::regex form("(extract|insert)[fi](32|64)x([248])");
  std::smatch match;
  if (!std::regex_match(name, match, form)) return std::nullopt;
  return std::stoi(match[2]) / 8 * std::stoi(match[3]);
}

/// Conversions with a memory operand half as wide as the widest register, or with its width behind
/// the name.
std::optional<int> conversion_bytes(const std::string& name, int widest) {
  if (begins(name, {"cvtdq2pd", "cvtudq2pd", "cvtps2pd", "cvtph2ps", "cvtps2qq", "cvtps2uqq",
                    "cvttps2qq", "cvttps2uqq"}))
    return widest / 2;
  if (name == "cvtps2ph") return widest / 2;
  if (!name.starts_with("cvt")) return std::nullopt;
  switch (name.back()) {
    case 'x':
      return 16;
    case 'y':
      return 32;
    case 'z':
      return 64;
    default:
      return std::nullopt;
  }
}

int suffix_bytes(const std::string& name) {
  switch (name.back()) {
    case 'b':
      return 1;
    case 'w':
      return 2;
    case 'l':
      return 4;
    case 'q':
      return 8;
    default:
      return 0;
  }
}

/// movzbl, movslq: the source is the narrower; cmov, shlx and their like have the register's width.
int general_operand_bytes(const Instruction& instruction) {
  static const std::regex extension("mov[zs]([bwl])[wlq]");
  const std::string& name = instruction.mnemonic;
  std::smatch match;
  if (std::regex_match(name, match, extension)) return suffix_bytes(match[1]);
  if (name.starts_with("set")) return 1;
  if (begins(name, {"call", "jmp", "push", "pop"})) return 8;
  for (auto operand = instruction.operands.rbegin(); operand != instruction.operands.rend();
       ++operand)
    if (operand->is_register() && register_bytes(operand->text) > 0 &&
        !begins(name, {"shl", "shr", "sar", "sal", "rol", "ror"}))
      return register_bytes(operand->text);
  const int by_suffix = suffix_bytes(name);
  if (by_suffix > 0) return by_suffix;
  for (const Operand& operand : instruction.operands)
    if (register_bytes(operand.text) > 0) return register_bytes(operand.text);
  return 0;
}

/// Bytes at the memory operand; 0: not understood.
int memory_bytes(const Instruction& instruction, const Operand& memory) {
  const std::string name = plain_name(instruction.mnemonic);
  if (memory.broadcast) return element_of_suffix(name);
  const int widest = vector_bytes(instruction);
  if (name == "movsd" && instruction.operands.size() != 2) return 0;
  if (name == "movq" && widest > 0) return 8;
  if (name == "movddup") return widest == 16 ? 8 : widest;
  if (const auto fixed = fixed_bytes().find(name); fixed != fixed_bytes().end())
    return fixed->second;
  if (const auto part = part_bytes(name)) return *part;
  if (const auto ratio = narrowing(name); ratio && widest > 0) return widest / *ratio;
  if (const auto bytes = conversion_bytes(name, widest)) return *bytes;
  if (name.starts_with("cvt") && widest > 0) return widest;
  if (widest > 0) {
    static const std::regex scalar(".*s[sdh]");
    const bool whole = begins(name, {"pmuludq", "movs", "pabs"});
    if (std::regex_match(name, scalar) && !whole && !name.starts_with("p"))
      return element_of_suffix(name);
    return widest;
  }
  return general_operand_bytes(instruction);
}

bool only_reads(const Instruction& instruction) {
  const std::string name = plain_name(instruction.mnemonic);
  if (name.starts_with("cmpxchg")) return false;
  if (begins(name, {"cmp", "test", "ucomi", "comi", "ptest", "fld", "fild", "fadd", "fsub", "fmul",
                    "fdiv", "push", "call", "jmp", "ldmxcsr"}))
    return true;
  if (name == "bt" || name == "btl" || name == "btq") return true;
  return instruction.operands.size() == 1 && begins(name, {"mul", "imul", "div", "idiv"});
}

bool only_writes(const Instruction& instruction) {
  const std::string name = plain_name(instruction.mnemonic);
  return begins(
      name, {"mov", "set", "pextr", "extract", "fst", "fist", "fnst", "stmxcsr", "kmov", "cvt",
             "pmov", "compress", "pcompress", "maskmov", "pmaskmov", "pop", "pscatter", "scatter"});
}

/// Index register and scale of "8(%rax,%zmm1,8)".
bool parse_indices(const std::string& operand, Access& access) {
  static const std::regex form(R"(([^(]*)\(([^,)]*),\s*(%[xyz]mm[0-9]+)\s*(?:,\s*([1248]))?\))");
  std::smatch match;
  if (!std::regex_match(operand, match, form)) return false;
  access.indices = match[3];
  access.scale = match[4].matched ? std::stoi(match[4]) : 1;
  const std::string base = match[2], offset = match[1];
  access.operand = offset + (base.empty() ? "" : "(" + base + ")");
  return true;
}

/// [v]gatherqpd, vpgatherdq, vscatterdps: 'd' or 'q' indices, then the elements.
bool indexed_access(const Instruction& instruction, Access& access) {
  static const std::regex form("p?(gather|scatter)([dq])(pd|ps|d|q)");
  std::smatch match;
  const std::string name = plain_name(instruction.mnemonic);
  if (!std::regex_match(name, match, form)) return false;
  access.index_bytes = match[2] == "q" ? 8 : 4;
  access.element = match[3] == "pd" || match[3] == "q" ? 8 : 4;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.mask.empty()) access.mask = operand.mask;
    if (operand.is_memory() && !parse_indices(operand.text, access)) return false;
  }
  if (access.mask.empty() && instruction.operands.size() == 3)
    access.mask = instruction.operands[0].text;
  access.kind = match[1] == "scatter" ? Access::Kind::store : Access::Kind::load;
  access.lanes = std::min(vector_bytes(instruction) / access.element,
                          register_bytes(access.indices) / access.index_bytes);
  access.bytes = access.lanes * access.element;
  return !access.mask.empty() && access.lanes > 0;
}

void set_mask(const Instruction& instruction, Access& access) {
  const std::string name = plain_name(instruction.mnemonic);
  // A compare writes a mask register; a decoration of it selects lanes as well.
  for (const Operand& operand : instruction.operands)
    if (!operand.mask.empty()) access.mask = operand.mask;
  // AVX's masked moves have the mask in the middle, in the sign bits of a vector.
  if (begins(name, {"maskmov", "pmaskmov"}) && instruction.operands.size() == 3)
    access.mask = instruction.operands[1].text;
  access.compressed = begins(name, {"compress", "pcompress", "expand", "pexpand"});
  access.element = element_of_suffix(name);
  // Of a scalar or a broadcast the mask adds nothing to a trace of addresses.
  if (access.bytes <= access.element) access.mask.clear();
}

void add_memory_operand(const Instruction& instruction, std::size_t position, Effect& effect) {
  const Operand& memory = instruction.operands[position];
  const std::string name = plain_name(instruction.mnemonic);
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

/// Instructions with an address, but without an access.
bool no_access(const std::string& name) {
  return begins(name, {"lea", "nop", "endbr", "clflush", "clwb", "clzero", "invlpg"});
}

}  // namespace

Effect effect_of(const Instruction& instruction) {
  Effect effect;
  effect.operations = operations_of(instruction);
  const std::string& name = instruction.mnemonic;
  if (no_access(name)) return effect;
  if (begins(name, {"tile", "tdp"}) && name != "tilerelease") effect.unknown = true;
  Access access;
  if (name.find("gather") != std::string::npos || name.find("scatter") != std::string::npos) {
    if (indexed_access(instruction, access))
      effect.accesses.push_back(access);
    else
      effect.unknown = true;
    return effect;
  }
  // The target of a branch is no data.
  if (instruction.is_call() || instruction.is_jump()) return effect;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.is_memory()) continue;
    // lea cannot take addresses of thread-local variables.
    if (operand.text.find(':') != std::string::npos) continue;
    add_memory_operand(instruction, i, effect);
  }
  return effect;
}

}  // namespace rooftune::instrumentation
