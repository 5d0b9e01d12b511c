#include "instrumentation/instruction.h"

#include <algorithm>
#include <cctype>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::instrumentation {
namespace {

constexpr std::string_view instruction_prefixes =
    "lock rep repe repz repne repnz notrack bnd data16 xacquire xrelease";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Cuts off the first word.
std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const size_t end = static_cast<size_t>(std::ranges::find_if(text, is_space) - text.begin());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  text = trimmed(text);
  return word;
}

/// Takes {%k1}, {z}, {1to8} and {rn-sae} off the end.
Operand operand(std::string_view text) {
  Operand result;
  text = trimmed(text);
  while (!text.empty() && text.back() == '}') {
    const size_t open = text.rfind('{');
    if (open == std::string_view::npos) break;
    const std::string_view inner = trimmed(text.substr(open + 1, text.size() - open - 2));
    if (inner.starts_with("%k")) result.mask = inner;
    if (inner.starts_with("1to")) result.broadcast = true;
    text = trimmed(text.substr(0, open));
  }
  result.text = text;
  return result;
}

std::vector<Operand> operands(std::string_view text) {
  std::vector<Operand> result;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    Operand one = operand(text.substr(begin, i - begin));
    // A rounding mode stands alone.
    if (!one.text.empty()) result.push_back(std::move(one));
    begin = i + 1;
  }
  return result;
}

int general_bytes(std::string_view name) {
  const char last = name.back();
  if (name[0] == 'r') {
    if (std::isdigit(static_cast<unsigned char>(name[1])) == 0) return 8;
    return last == 'd' ? 4 : last == 'w' ? 2 : last == 'b' ? 1 : 8;
  }
  if (name[0] == 'e') return 4;
  if (last == 'l' || last == 'h') return 1;
  return 2;
}

}  // namespace

bool Operand::is_memory() const {
  if (text.empty() || text[0] == '$') return false;
  return contains(text, '(') || text[0] != '%' || contains(text, ':');
}

bool Instruction::repeats() const {
  return std::ranges::any_of(prefixes, [](const auto& one) { return one.starts_with("rep"); });
}

std::optional<Instruction> parse_instruction(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty() || line[0] == '.' || line.back() == ':') return std::nullopt;
  Instruction result;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (word[0] == '{') continue;  // {vex}, {evex}: an encoding, not a word of the instruction
    if (!is_among(word, instruction_prefixes)) {
      result.mnemonic = word;
      break;
    }
    result.prefixes.emplace_back(word);
  }
  result.operands = operands(line);
  return result;
}

int register_bytes(std::string_view name) {
  if (name.empty() || name[0] != '%') return 0;
  name.remove_prefix(1);
  if (name.starts_with("zmm")) return 64;
  if (name.starts_with("ymm")) return 32;
  if (name.starts_with("xmm")) return 16;
  if (name.size() < 2 || name[0] == 'k' || name.starts_with("st") || name.starts_with("mm"))
    return 0;
  return general_bytes(name);
}

bool is_vector_register(std::string_view name) {
  return name.size() > 4 && name[2] == 'm' && name[3] == 'm' && register_bytes(name) >= 16;
}

}  // namespace rooftune::instrumentation
