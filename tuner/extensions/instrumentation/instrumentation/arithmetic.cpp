#include "instrumentation/arithmetic.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

namespace rooftune::instrumentation {
namespace {

const std::map<std::string, std::string>& kinds() {
  static const std::map<std::string, std::string> table{
      {"add", "add"},     {"sub", "add"},       {"addsub", "add"},  {"hadd", "add"},
      {"hsub", "add"},    {"mul", "mul"},       {"div", "div"},     {"sqrt", "sqrt"},
      {"min", "minmax"},  {"max", "minmax"},    {"rcp", "other"},   {"rsqrt", "other"},
      {"rcp14", "other"}, {"rsqrt14", "other"}, {"rcp28", "other"}, {"rsqrt28", "other"},
      {"exp2", "other"}};
  return table;
}

struct Form {
  std::string kind;
  bool packed;
  char type;  ///< d, s or h
};

/// "vfnmadd231pd", "addsd", ...; nullopt when it is no arithmetic on vector registers.
std::optional<Form> form_of(const std::string& name) {
  static const std::regex fused("fn?m(add|sub|addsub|subadd)(132|213|231)?([ps])([dsh])");
  static const std::regex plain("([a-z]+[0-9]*)([ps])([dsh])");
  std::smatch match;
  if (std::regex_match(name, match, fused)) return Form{"fma", match[3] == "p", match[4].str()[0]};
  if (!std::regex_match(name, match, plain)) return std::nullopt;
  const auto kind = kinds().find(match[1]);
  if (kind == kinds().end()) return std::nullopt;
  return Form{kind->second, match[2] == "p", match[3].str()[0]};
}

int widest_register(const Instruction& instruction) {
  int widest = 16;
  for (const Operand& operand : instruction.operands)
    if (operand.is_register() && is_vector_register(operand.text))
      widest = std::max(widest, register_bytes(operand.text));
  return widest;
}

std::string mask_of(const Instruction& instruction) {
  for (const Operand& operand : instruction.operands)
    if (!operand.mask.empty()) return operand.mask;
  return {};
}

/// x87; it computes in 80 bits for operands of any size.
std::optional<std::string> x87_kind(const std::string& mnemonic) {
  static const std::regex arithmetic("fi?(add|subr|sub|mul|divr|div)(p|s|l|ll)?");
  std::smatch match;
  if (mnemonic == "fsqrt") return "sqrt";
  if (!std::regex_match(mnemonic, match, arithmetic)) return std::nullopt;
  const std::string word = match[1];
  return word == "mul" ? "mul" : word.starts_with("div") ? "div" : "add";
}

}  // namespace

std::string plain_name(const std::string& mnemonic) {
  return mnemonic.size() > 2 && mnemonic[0] == 'v' ? mnemonic.substr(1) : mnemonic;
}

std::vector<Operations> operations_of(const Instruction& instruction) {
  if (const auto kind = x87_kind(instruction.mnemonic)) return {{"fp80", *kind, 1, {}}};
  const std::string name = plain_name(instruction.mnemonic);
  if (name == "dpbf16ps")
    return {{"bf16", "fma", widest_register(instruction) / 2, mask_of(instruction)}};
  const auto form = form_of(name);
  if (!form || instruction.operands.empty()) return {};
  const int bytes = form->type == 'd' ? 8 : form->type == 's' ? 4 : 2;
  const std::string precision = bytes == 8 ? "fp64" : bytes == 4 ? "fp32" : "fp16";
  const int lanes = form->packed ? widest_register(instruction) / bytes : 1;
  return {{precision, form->kind, lanes, mask_of(instruction)}};
}

}  // namespace rooftune::instrumentation
