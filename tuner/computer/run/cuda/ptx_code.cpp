// Decodes PTX text into instructions, each with what the assembler is known to make from it.
#include "run/cuda/ptx_code.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "run/cuda/ptx_value.h"

namespace rooftune::run::ptx {
namespace {

using Words = Texts;

std::string without_blanks(const std::string& text) { return std::string(trimmed(text)); }

/// Splits at `mark` outside brackets.
Words parts_of(const std::string& text, char mark) {
  Words parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += std::strchr("{[(", c) ? 1 : std::strchr("}])", c) ? -1 : 0;
    if (c == mark && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = without_blanks(part);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

bool has_word(const Words& words, const char* word) { return contains(words, word); }

std::optional<Type> type_of(const std::string& word) {
  if (word == "pred") return Type{'p', 1};
  if (word == "bf16" || word == "f16x2" || word == "bf16x2") return Type{'f', 16};
  if (word.size() < 2 || !std::strchr("usfb", word[0])) return {};
  if (word.find_first_not_of("0123456789", 1) != std::string::npos) return {};
  return Type{word[0], std::stoi(word.substr(1))};
}

/// ".param .align 8 .b8 name[112]", ".shared .f64 sums[4][2]", ".u64 name".
struct Declared {
  std::string space, name;
  Type type;
  size_t align = 0, bytes = 0;
};

Declared declared(const std::string& text) {
  Declared result;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == ".align")
      words >> result.align;
    else if (word[0] != '.')
      result.name += word;
    else if (const auto type = type_of(word.substr(1)))
      result.type = *type;
    else if (result.space.empty())
      result.space = word.substr(1);
  }
  result.bytes = result.type.bytes();
  if (result.align == 0) result.align = result.bytes;
  auto at = result.name.find('[');
  const std::string name = result.name.substr(0, at);
  for (; at != std::string::npos; at = result.name.find('[', at + 1))
    result.bytes *= std::strtoul(result.name.c_str() + at + 1, nullptr, 10);
  result.name = name;
  return result;
}

size_t rounded(size_t value, size_t to) { return (value + to - 1) / to * to; }

class Decoder {
 public:
  Code code(const std::string& text) {
    std::string statement;
    for (const char c : text) {
      const std::string words = std::strchr(";{}:", c) ? without_blanks(statement) : std::string();
      const bool begins = contains(words, ".entry") || contains(words, ".func");
      if (c == ';') {
        if (!words.empty() && !begins) take(words);
      } else if (c == '{' && (words.empty() || begins)) {
        scopes_.emplace_back();
        if (begins) begin(words);
      } else if (c == '}' && words.empty()) {
        scopes_.pop_back();
        if (scopes_.size() == 1) end();
      } else if (c == ':' && !words.empty() && !has_any_of(words, " \t\n,[")) {
        labels_[words] = function_->code.size();
      } else {
        statement += c;
        continue;
      }
      statement.clear();
    }
    return std::move(code_);
  }

 private:
  [[noreturn]] void refuse(const std::string& words) const {
    throw Error("unknown instruction of PTX \"" + words + "\"");
  }

  int slot_of(uint64_t value) {
    function_->registers.push_back(value);
    return int(function_->registers.size()) - 1;
  }

  void begin(const std::string& words) {
    const auto entry = words.find(".entry");
    const bool is_kernel = entry != std::string::npos;
    auto open = words.find('(');
    const std::string name =
        is_kernel
            ? without_blanks(words.substr(entry + 6, std::min(open, words.size()) - entry - 6))
            : called(words.substr(words.find(".func") + 5));
    function_ = is_kernel ? &code_.kernels[name] : &others_[name];
    *function_ = {};
    function_->registers.assign(first_free, 0);
    labels_.clear();
    branches_.clear();
    for (; open != std::string::npos; open = words.find('(', open + 1))
      for (const std::string& parameter :
           parts_of(words.substr(open + 1, words.find(')', open) - open - 1), ',')) {
        const Declared one = declared(parameter);
        const size_t offset = rounded(function_->parameter_bytes, one.align);
        function_->parameters.push_back(offset);
        function_->parameter_bytes = offset + one.bytes;
        scopes_.back()[one.name] = slot_of(param_start + offset);
      }
  }

  /// The name of a function, behind the results that may stand in brackets before it.
  static std::string called(const std::string& words) {
    const std::string rest = without_blanks(words);
    const size_t begin = rest.starts_with('(') ? rest.find(')') + 1 : 0;
    return without_blanks(rest.substr(begin, rest.find('(', begin) - begin));
  }

  /// A call costs what its function's instructions cost, each once.
  void weigh_call(const std::string& words, Instruction& one) {
    Texts parts = parts_of(words, ',');
    if (parts.size() > 1 && parts.front().starts_with('(')) parts.erase(parts.begin());
    const auto* const found = parts.empty() ? nullptr : value_at(others_, parts.front());
    if (!found) code_.unknown.insert("call " + (parts.empty() ? words : parts.front()));
    for (const Instruction& part : found ? found->code : std::vector<Instruction>{}) {
      for (const Field field : of_code) one.cost.*field += part.cost.*field;
      one.latency += part.latency;
    }
  }

  void end() {
    function_->code.emplace_back().op = Op::ret;
    for (const auto& [number, label] : branches_) {
      if (!labels_.contains(label)) refuse("bra " + label);
      function_->code[number].target = labels_[label];
    }
    function_ = nullptr;
  }

  void take(const std::string& words) {
    if (words.starts_with(".reg")) return registers(words);
    if (words.starts_with(".pragma")) return;
    words[0] == '.' ? variable(words) : instruction(words);
  }

  void registers(const std::string& words) {
    const auto names = words.find_first_of(" \t", words.find('.', 1));
    for (const std::string& name : parts_of(words.substr(names), ',')) {
      const auto range = name.find('<');
      const std::string stem = name.substr(0, range);
      if (range == std::string::npos) scopes_.back()[stem] = slot_of(0);
      for (unsigned long i = 0, count = range == std::string::npos
                                            ? 0
                                            : std::stoul(name.substr(range + 1));
           i < count; ++i)
        scopes_.back()[stem + std::to_string(i)] = slot_of(0);
    }
  }

  void variable(const std::string& words) {
    const auto equals = words.find('=');
    const Declared one = declared(words.substr(0, equals));
    if (one.space == "shared" || one.space == "extern") {
      code_.shared_bytes = rounded(code_.shared_bytes, std::max<size_t>(one.align, 16));
      code_.addresses[one.name] = shared_start + code_.shared_bytes;
      code_.shared_bytes += one.bytes;
    } else if (function_) {
      function_->local_bytes = rounded(function_->local_bytes, one.align);
      scopes_.back()[one.name] = slot_of(local_start + function_->local_bytes);
      function_->local_bytes += one.bytes;
    } else {
      std::vector<unsigned char>& memory = code_.variables.emplace_back(one.bytes + 8);
      code_.addresses[one.name] = reinterpret_cast<uint64_t>(memory.data());
      if (equals == std::string::npos) return;
      std::string list = without_blanks(words.substr(equals + 1));
      if (list.front() == '{') list = list.substr(1, list.size() - 2);
      size_t at = 0;
      for (const std::string& value : parts_of(list, ',')) {
        const auto bits = number(value);
        std::memcpy(&memory[at], &bits, one.type.bytes());
        at += one.type.bytes();
      }
    }
  }

  static uint64_t number(const std::string& text) {
    if (text.size() > 2 && text[0] == '0' && std::strchr("dDfF", text[1]))
      return std::stoull(text.substr(2), nullptr, 16);
    return text[0] == '-' ? uint64_t(std::stoll(text, nullptr, 0)) : std::stoull(text, nullptr, 0);
  }

  int operand(const std::string& text) {
    if (is_digit(text[0]) || text[0] == '-') return slot_of(number(text));
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(text); found != scope->end()) return found->second;
    if (const auto found = code_.addresses.find(text); found != code_.addresses.end())
      return slot_of(found->second);
    // In the order of Special; the last is a place for what nobody reads.
    static constexpr const char* specials[] = {"%tid.x",   "%tid.y",    "%tid.z",    "%ntid.x",
                                               "%ntid.y",  "%ntid.z",   "%ctaid.x",  "%ctaid.y",
                                               "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
                                               "%laneid",  "%warpid",   "_"};
    if (const auto found = index_of(specials, text)) return int(*found);
    if (text == "WARP_SZ") return slot_of(32);
    if (text[0] != '%') refuse(text);
    code_.unknown.insert(text);
    return slot_of(0);
  }

  void address(const std::string& text, Instruction& one) {
    const auto plus = text.find('+');
    one.address = operand(without_blanks(text.substr(0, plus)));
    if (plus != std::string::npos) one.offset = number(without_blanks(text.substr(plus + 1)));
  }

  void operands(const std::string& list, Instruction& one) {
    for (const std::string& part : parts_of(list, ',')) {
      if (part[0] == '[') {
        // A copy has two addresses: its target, a register and an offset, and where it reads.
        if (one.address >= 0) {
          one.slots = {one.address, slot_of(one.offset)};
          one.offset = 0;
        }
        address(part.substr(1, part.size() - 2), one);
        continue;
      }
      const bool vector = part[0] == '{';
      const Words all =
          parts_of(vector ? part.substr(1, part.size() - 2) : part, vector ? ',' : '|');
      if (one.op == Op::mov && vector) one.op = one.slots.empty() ? Op::split : Op::join;
      if (one.slots.empty()) one.results = int(all.size());
      for (const std::string& each : all) {
        one.inverted |= each[0] == '!';
        one.slots.push_back(operand(each[0] == '!' ? each.substr(1) : each));
      }
    }
  }

  void instruction(std::string words) {
    Instruction one;
    if (words[0] == '@') {
      const auto blank = words.find_first_of(" \t\n");
      one.predicate_inverted = words[1] == '!';
      const size_t name = one.predicate_inverted ? 2 : 1;
      one.predicate = operand(words.substr(name, blank - name));
      words = without_blanks(words.substr(blank));
    }
    const auto blank = words.find_first_of(" \t\n");
    const Words name = parts_of(words.substr(0, blank), '.');
    const std::string list = blank == std::string::npos ? "" : words.substr(blank);
    if (name[0] == "cp" && !has_word(name, "bulk")) {
      const bool copies =
          name.size() > 3 && name[1] == "async" && !type_of(name.back()) && contains(list, '[');
      one.op = copies ? Op::copy : Op::nothing;
    } else {
      one.does = name.size() > 1 ? operation(name[0] + '.' + name[1]) : nullptr;
      if (!one.does) one.does = operation(name[0]);
      one.op = one.does ? one.does->op : Op::unknown;
    }
    complete(one, name);
    if (one.op == Op::bra)
      branches_.emplace_back(function_->code.size(), without_blanks(list));
    else if (one.op == Op::unknown || one.op == Op::tensor)
      guess(words.substr(0, blank), list, one);
    else if (one.op != Op::nothing && one.op != Op::barrier && one.op != Op::ret &&
             one.op != Op::call)
      operands(list, one);
    if (one.op == Op::st || name[0] == "red") one.results = 0;
    weigh(one, has_word(name, "approx"));
    if (one.op == Op::call) weigh_call(list, one);
    if (one.op == Op::tensor) weigh_product(name, one);
    function_->code.push_back(std::move(one));
  }

  /// An instruction whose result stays unknown. Its operands may have unknown kinds, too.
  void guess(const std::string& name, const std::string& list, Instruction& one) {
    if (!std::islower(static_cast<unsigned char>(name[0]))) refuse(name + list);
    if (one.op == Op::unknown) code_.unknown.insert(name);
    try {
      operands(list, one);
    } catch (const Error&) {
      one.slots.clear();
      one.address = -1;
    }
  }

  /// "m16n8k16" among the words: a warp's product; wgmma's belongs to four warps. Counted in fp16
  /// multiply-adds.
  void weigh_product(const Words& name, Instruction& one) {
    int m = 0, n = 0, k = 0;
    double slower = 1;
    for (const std::string& word : name) {
      if (std::sscanf(word.c_str(), "m%dn%dk%d", &m, &n, &k) == 3) continue;
      if (word == "f64") slower = 16;
      if (word == "tf32") slower = 2;
      if (contains(Texts{"e4m3", "e5m2", "s8", "u8"}, word)) slower = 0.5;
    }
    const double threads = name[0] == "wgmma" ? 128 : 32;
    one.cost.tensor = slower * m * n * k / threads;
  }

  /// Takes type, space and mode from the words of an instruction.
  void complete(Instruction& one, const Words& name) {
    if (const auto type = type_of(name.back())) one.type = one.from = *type;
    if (name.size() > 2)
      if (const auto type = type_of(name[name.size() - 2]); type && one.op == Op::cvt)
        one.type = *type;
    for (const std::string& word : name) {
      if (word == "global" || word == "const") one.space = Space::global;
      if (word.starts_with("shared")) one.space = Space::shared;
      if (word == "local") one.space = Space::local;
      if (word == "param") one.space = Space::param;
    }
    // In the order of Compare; those for unordered numbers start at `unordered`; then other names.
    static constexpr const char* comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                  "num", "nan", "equ", "neu", "ltu", "leu",
                                                  "gtu", "geu", "lo",  "ls",  "hi",  "hs"};
    static constexpr const char* roundings[] = {"", "rni", "rzi", "rmi", "rpi"};
    static constexpr const char* atomics[] = {"", "add", "exch", "cas"};
    if (one.op == Op::setp) {
      const auto found = index_of(comparisons, name.size() > 1 ? name[1] : name[0]);
      if (!found) refuse(name[0]);
      constexpr int others = 14;
      one.mode = int(*found);
      if (one.mode >= others) one.mode -= others - lt;
      if (has_word(name, "and")) one.mode |= with_and;
      if (has_word(name, "or")) one.mode |= with_or;
    }
    for (const std::string& word : name) {
      const auto found = one.op == Op::cvt    ? index_of(roundings, word)
                         : one.op == Op::atom ? index_of(atomics, word)
                                              : std::nullopt;
      if (found) one.mode = int(*found);
    }
    if (one.op == Op::vote && has_word(name, "ballot")) one.op = Op::ballot;
  }

  Code code_;
  std::map<std::string, Function> others_;  ///< called by kernels; no thread is followed there
  Function* function_ = nullptr;
  std::vector<std::map<std::string, int>> scopes_{1};
  std::map<std::string, size_t> labels_;
  std::vector<std::pair<size_t, std::string>> branches_;
};

/// The code without comments and the lines that only name versions.
std::string bare_code(const std::string& text) {
  std::string all;
  for (std::string line : split(text)) {
    line = line.substr(0, line.find("//"));
    const std::string start = without_blanks(line).substr(0, 8);
    if (start != ".version" && start != ".target " && start != ".address") all += line + '\n';
  }
  return all;
}

}  // namespace

Code decoded(const std::string& text) { return Decoder().code(bare_code(text)); }

}  // namespace rooftune::run::ptx
