#include "instrumentation/instruction.h"

#include <algorithm>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::instrumentation {
namespace {

constexpr std::string_view instruction_prefixes =
    "lock rep repe repz repne repnz notrack bnd data16 xacquire xrelease";

/// Cuts off the first word.
std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const size_t end = size_t(find_if(text, is_space) - text.begin());
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

}  // namespace

bool Operand::is_memory() const {
  if (text.empty() || text[0] == '$') return false;
  return contains(text, '(') || text[0] != '%' || contains(text, ':');
}

bool Instruction::repeats() const {
  return any_of(prefixes, [](const auto& one) { return one.starts_with("rep"); });
}

std::optional<Instruction> parse_instruction(std::string_view line) {
  line = trimmed(text_before(line, '#'));
  if (line.empty() || line[0] == '.' || line.back() == ':') return std::nullopt;
  Instruction result;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (word[0] == '{') continue;  // {vex}, {evex}: an encoding, no part of the instruction
    if (!is_among(word, instruction_prefixes)) {
      result.mnemonic = word;
      break;
    }
    result.prefixes.emplace_back(word);
  }
  result.operands = operands(line);
  return result;
}

Register register_of(std::string_view text) {
  if (text.size() < 3 || text[0] != '%') return {};
  const std::string name(text.substr(1));
  if (name.size() > 3 && name.compare(1, 2, "mm") == 0)
    return {"v" + name.substr(3), name[0] == 'z' ? 64 : name[0] == 'y' ? 32 : 16};
  if (begins(name, "k st mm")) return {name, 0};
  const char last = name.back();
  if (const size_t digit = name.find_last_of("0123456789"); digit != name.npos)
    return {name.substr(0, digit + 1), last == 'd' ? 4 : last == 'w' ? 2 : last == 'b' ? 1 : 8};
  if (name.size() == 3 && begins(name, "r e")) return {name.substr(1), name[0] == 'r' ? 8 : 4};
  if (name.size() == 3 && last == 'l') return {name.substr(0, 2), 1};
  if (last == 'l' || last == 'h') return {{name[0], 'x'}, 1};
  return {name, 2};
}

}  // namespace rooftune::instrumentation
