#include "instrumentation/effect.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/list.h"
#include "core/pattern.h"
#include "core/split.h"
#include "instrumentation/instruction.h"

namespace rooftune::instrumentation {
namespace {

/// A value for each word in a list that blanks separate.
template <class Value>
using Listed = std::initializer_list<std::pair<Value, const char*>>;
template <class Value>
ByName<Value> by_word(Listed<Value> lists) {
  ByName<Value> all;
  for (const auto& [value, words] : lists)
    for (const std::string& word : split(words, ' ')) all.emplace(word, value);
  return all;
}

/// Bytes at the memory operand where the instruction's name alone decides; 0: it does not.
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

/// The kind of an x87 operation; x87 computes in 80 bits, whatever the operands' size.
std::optional<std::string> x87_kind(const std::string& mnemonic) {
  static const Pattern arithmetic("fi?(add|subr|sub|mul|divr|div|sqrt)(p|s|l|ll)?");
  static const auto kinds = by_word<const char*>(
      {{"add", "add sub subr"}, {"mul", "mul"}, {"div", "div divr"}, {"sqrt", "sqrt"}});
  const auto match = arithmetic.match(mnemonic);
  if (!match) return std::nullopt;
  return kinds.at((*match)[1]);
}

/// "addq", "shrl", "imulq": the kind of a scalar operation on whole numbers.
std::optional<std::string> scalar_integer(const std::string& mnemonic) {
  static const auto kinds =
      by_word<const char*>({{"add", "add sub adc sbb inc dec neg not and or xor lea andn"},
                            {"shift", "shl shr sar sal rol ror shld shrd"},
                            {"mul", "mul imul"},
                            {"div", "div idiv"},
                            {"compare", "cmp test"}});
  for (std::string name = mnemonic; name.size() > 1; name.pop_back()) {
    if (const auto* found = value_at(kinds, name)) return *found;
    if (mnemonic.size() - name.size() > 1 || !contains("bwlqx", name.back())) break;
  }
  return std::nullopt;
}

int element_of_suffix(const std::string& name) {
  const auto ends = [&](std::string_view words) {
    return any_word(words, [&](std::string_view one) { return name.ends_with(one); });
  };
  if (ends("64 pd sd q")) return 8;
  if (ends("32 ps ss d")) return 4;
  return ends("16 ph w") ? 2 : ends("8 b") ? 1 : 4;
}

/// The bytes that a size letter means, each letter twice the one before; 0 for another letter.
int letter_bytes(char letter, std::string_view letters, int first) {
  const size_t at = letters.find(letter);
  return at == std::string_view::npos ? 0 : first << at;
}

/// pmovzxbw, pmovsxdq; pmovqd, pmovusdw: how many times wider the register is than the memory
/// operand; 0: another instruction.
int narrowing(const std::string& name) {
  static const Pattern form("pmov(zx|sx|us|s)?([bwdq])([bwdq])");
  const auto match = form.match(name);
  if (!match) return 0;
  const int a = letter_bytes((*match)[2][0], "bwdq", 1),
            b = letter_bytes((*match)[3][0], "bwdq", 1);
  return std::max(a, b) / std::min(a, b);
}

/// The bytes of a part that is extracted or inserted: vextractf64x4.
int part_bytes(const std::string& name) {
  static const Pattern form("(extract|insert)[fi](32|64)x([248])");
  const auto match = form.match(name);
  if (!match) return 0;
  return std::stoi((*match)[2]) / 8 * std::stoi((*match)[3]);
}

/// Bytes at a conversion's memory operand: half the widest register, or the width that the name
/// ends with.
int conversion_bytes(const std::string& name, int widest) {
  if (begins(
          name,
          "cvtdq2pd cvtudq2pd cvtps2pd cvtph2ps cvtps2ph cvtps2qq cvtps2uqq cvttps2qq cvttps2uqq"))
    return widest / 2;
  return name.starts_with("cvt") ? letter_bytes(name.back(), "xyz", 16) : 0;
}

int suffix_bytes(const std::string& name) { return letter_bytes(name.back(), "bwlq", 1); }

/// Takes index register and scale from "8(%rax,%zmm1,8)".
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

/// Reads one instruction.
class EffectReader {
 public:
  explicit EffectReader(const Instruction& instruction)
      : instruction_(instruction), operands_(instruction.operands), name_(instruction.mnemonic) {
    if (name_.size() > 2 && name_[0] == 'v') name_.erase(0, 1);
    for (const Operand& operand : operands_) {
      if (mask_.empty()) mask_ = operand.mask;
      if (const Register one = register_of(operand.text); operand.is_register() && one.is_vector())
        widest_ = std::max(widest_, one.bytes);
    }
  }

  Effect effect() {
    effect_.operations = operations();
    if (effect_.operations.empty()) effect_.integers = integers();
    const std::string& name = instruction_.mnemonic;
    // These have an address, but access nothing.
    if (begins(name, "lea nop endbr clflush clwb clzero invlpg")) return effect_;
    if (begins(name, "tile tdp") && !is_among(name, "tilerelease")) effect_.unknown = true;
    if (contains(name, "gather") || contains(name, "scatter")) {
      if (const auto access = indexed_access())
        effect_.accesses.push_back(*access);
      else
        effect_.unknown = true;
      return effect_;
    }
    // A branch's target is no data.
    if (instruction_.is_call() || instruction_.is_jump()) return effect_;
    // lea cannot take addresses of thread-local variables.
    for (const Operand& operand : operands_)
      if (operand.is_memory() && !contains(operand.text, ':')) add_memory_operand(operand);
    return effect_;
  }

 private:
  /// Counts as the processors' own counters do: moves, conversions, comparisons and rounding count
  /// nothing; a minimum, a maximum or a reciprocal estimate counts one, an fma one of kind fma.
  std::vector<Operations> operations() const {
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
    if (const auto kind = x87_kind(instruction_.mnemonic)) return {{"fp80", *kind, 1, {}}};
    const int widest = std::max(16, widest_);
    if (is_among(name_, "dpbf16ps")) return {{"bf16", "fma", widest / 2, mask_}};
    auto match = fused.match(name_);
    const bool fma = match.has_value();
    if (!fma) match = plain.match(name_);
    if (!match) return {};
    const auto kind = fma ? kinds.end() : kinds.find((*match)[1]);
    if ((!fma && kind == kinds.end()) || operands_.empty()) return {};
    const char packed = (*match)[fma ? 1 : 2][0], type = (*match)[fma ? 2 : 3][0];
    const int bytes = type == 'd' ? 8 : type == 's' ? 4 : 2;
    return {{bytes == 8   ? "fp64"
             : bytes == 4 ? "fp32"
                          : "fp16",
             fma ? "fma" : kind->second, packed == 'p' ? widest / bytes : 1, mask_}};
  }

  /// Operations on whole numbers. A vector's 16-bit word counts as two bytes.
  std::vector<Operations> integers() const {
    if (widest_ == 0) {
      const auto kind = scalar_integer(instruction_.mnemonic);
      return kind ? std::vector<Operations>{{"int64", *kind, 1, {}}} : std::vector<Operations>{};
    }
    static const Pattern form(
        "p(add|sub|min[su]|max[su]|abs|and|andn|or|xor|cmpeq|cmpgt|sll|srl|sra|sllv|srlv|srav|"
        "rolv?|rorv?|mull|muludq|muldq|maddwd|maddubsw|avg)(us|s)?([bwdq]?)");
    const auto match = form.match(name_);
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
    return {{precision, kind + " in vectors", widest_ / bytes, {}}};
  }

  /// movzbl, movslq: the source is narrower; cmov, shlx and their like have the register's width.
  int general_operand_bytes() const {
    static const Pattern extension("mov[zs]([bwl])[wlq]");
    const std::string& name = instruction_.mnemonic;
    if (const auto match = extension.match(name)) return suffix_bytes((*match)[1]);
    if (name.starts_with("set")) return 1;
    if (begins(name, "call jmp push pop")) return 8;
    for (auto operand = operands_.rbegin(); operand != operands_.rend(); ++operand)
      if (operand->is_register() && register_of(operand->text).bytes > 0 &&
          !begins(name, "shl shr sar sal rol ror"))
        return register_of(operand->text).bytes;
    const int by_suffix = suffix_bytes(name);
    if (by_suffix > 0) return by_suffix;
    for (const Operand& operand : operands_)
      if (register_of(operand.text).bytes > 0) return register_of(operand.text).bytes;
    return 0;
  }

  /// Bytes at the memory operand; 0: not understood.
  int memory_bytes(const Operand& memory) const {
    if (memory.broadcast) return element_of_suffix(name_);
    // Without two operands it is a string instruction.
    if (is_among(name_, "movsd") && operands_.size() != 2) return 0;
    if (is_among(name_, "movq") && widest_ > 0) return 8;
    if (is_among(name_, "movddup")) return widest_ == 16 ? 8 : widest_;
    if (const int fixed = fixed_bytes(name_)) return fixed;
    if (const int part = part_bytes(name_)) return part;
    if (const int ratio = narrowing(name_); ratio > 0 && widest_ > 0) return widest_ / ratio;
    if (const int bytes = conversion_bytes(name_, widest_)) return bytes;
    if (name_.starts_with("cvt") && widest_ > 0) return widest_;
    if (widest_ > 0) {
      static const Pattern scalar(".*s[sdh]");
      const bool whole = begins(name_, "pmuludq movs pabs");
      if (scalar.matches(name_) && !whole && !name_.starts_with("p"))
        return element_of_suffix(name_);
      return widest_;
    }
    return general_operand_bytes();
  }

  bool only_reads() const {
    if (name_.starts_with("cmpxchg")) return false;
    if (begins(name_,
               "cmp test ucomi comi ptest fld fild fadd fsub fmul fdiv push call jmp ldmxcsr"))
      return true;
    if (is_among(name_, "bt btl btq")) return true;
    return operands_.size() == 1 && begins(name_, "mul imul div idiv");
  }

  bool only_writes() const {
    return begins(name_,
                  "mov set pextr extract fst fist fnst stmxcsr kmov cvt pmov compress pcompress "
                  "maskmov pmaskmov pop pscatter scatter");
  }

  /// [v]gatherqpd, vpgatherdq, vscatterdps: the indices' size, 'd' or 'q', then the elements'.
  std::optional<Access> indexed_access() const {
    static const Pattern form("p?(gather|scatter)([dq])(pd|ps|d|q)");
    const auto match = form.match(name_);
    if (!match) return std::nullopt;
    Access access;
    access.index_bytes = element_of_suffix((*match)[2]);
    access.element = element_of_suffix((*match)[3]);
    for (const Operand& operand : operands_)
      if (operand.is_memory() && !parse_indices(operand.text, access)) return std::nullopt;
    access.mask = mask_;
    if (access.mask.empty() && operands_.size() == 3) access.mask = operands_[0].text;
    access.kind = (*match)[1][0] == 's' ? Access::Kind::store : Access::Kind::load;
    access.lanes =
        std::min(widest_ / access.element, register_of(access.indices).bytes / access.index_bytes);
    access.bytes = access.lanes * access.element;
    if (access.mask.empty() || access.lanes <= 0) return std::nullopt;
    return access;
  }

  void set_mask(Access& access) const {
    // A compare writes a mask register; a mask behind it selects lanes as well.
    access.mask = mask_;
    // AVX's masked moves have the mask in the middle, in the sign bits of a vector.
    if (begins(name_, "maskmov pmaskmov") && operands_.size() == 3) access.mask = operands_[1].text;
    access.compressed = begins(name_, "compress pcompress expand pexpand");
    access.element = element_of_suffix(name_);
    // A scalar's or a broadcast's mask adds nothing to a trace of addresses.
    if (access.bytes <= access.element) access.mask.clear();
  }

  void add_memory_operand(const Operand& memory) {
    Access access;
    access.operand = memory.text;
    access.bytes = memory_bytes(memory);
    if (name_.starts_with("prefetch")) {
      access.kind = Access::Kind::prefetch;
      access.bytes = 1;
    }
    if (access.bytes <= 0) {
      effect_.unknown = true;
      return;
    }
    set_mask(access);
    const bool last = &memory == &operands_.back();
    if (access.kind == Access::Kind::prefetch || !last || only_reads()) {
      effect_.accesses.push_back(access);
      return;
    }
    if (!only_writes()) effect_.accesses.push_back(access);
    access.kind = name_.starts_with("movnt") ? Access::Kind::streamed : Access::Kind::store;
    effect_.accesses.push_back(access);
  }

  const Instruction& instruction_;
  const std::vector<Operand>& operands_;
  std::string name_;  ///< "addpd" for "vaddpd", "movq" for "vmovq": one name for both encodings
  std::string mask_;
  int widest_ = 0;  ///< the widest vector register among the operands [B]; 0 without one
  Effect effect_;
};

}  // namespace

Effect effect_of(const Instruction& instruction) { return EffectReader(instruction).effect(); }

}  // namespace rooftune::instrumentation
