// From the text of PTX to decoded functions.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>
#include <utility>

#include "support/ptx/program.h"

namespace rooftune::ptx {
namespace {

using Words = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// At `mark` outside brackets.
Words split(const std::string& text, char mark) {
  Words parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += std::strchr("{[(", c) ? 1 : std::strchr("}])", c) ? -1 : 0;
    if (c == mark && depth == 0)
      parts.push_back(trimmed(std::exchange(part, {})));
    else
      part += c;
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

/// Without comments and the lines that only name versions.
std::string bare(const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const std::string start = trimmed(line).substr(0, 8);
    if (start != ".version" && start != ".target " && start != ".address") all += line + '\n';
  }
  return all;
}

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || std::strchr("_$%", c);
  });
}

std::size_t bytes_of(const std::string& type) {
  return type == "pred" ? 1 : std::stoul(type.substr(1)) / 8;
}

/// ".param .align 8 .b8 name[112]", ".shared .f64 sums[4][2]", ".u64 name".
struct Declaration {
  std::string space, name, type;
  std::size_t align = 0, bytes = 0;
  bool is_sized = true;
};

Declaration declaration(const std::string& text) {
  Declaration result;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == ".align") {
      words >> result.align;
    } else if (word[0] != '.') {
      result.name += word;
    } else if (const std::string bare_word = word.substr(1);
               std::strchr("busf", bare_word[0]) && std::isdigit(bare_word[1])) {
      result.type = bare_word;
    } else if (word == ".shared" || word == ".local" || word == ".param" || word == ".global" ||
               word == ".const") {
      if (result.space.empty()) result.space = bare_word;
    }
  }
  if (result.type.empty()) throw Fault("PTX: no type in \"" + text + "\"");
  result.bytes = bytes_of(result.type);
  if (result.align == 0) result.align = result.bytes;
  const auto bracket = result.name.find('[');
  for (auto at = bracket; at != std::string::npos; at = result.name.find('[', at + 1)) {
    const std::string size = result.name.substr(at + 1, result.name.find(']', at) - at - 1);
    result.is_sized = !size.empty();
    if (result.is_sized) result.bytes *= std::stoul(size);
  }
  result.name = result.name.substr(0, bracket);
  return result;
}

std::size_t aligned(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(bare(text)) {}

  std::unique_ptr<Module> module() {
    std::string statement;
    for (const char c : text_) {
      const std::string words = std::strchr(";{}:", c) ? trimmed(statement) : std::string();
      const bool is_header =
          words.find(".entry") != std::string::npos || words.find(".func") != std::string::npos;
      if (c == ';') {
        if (!words.empty()) is_header ? (void)0 : take(words);
      } else if (c == '{' && (words.empty() || is_header)) {
        scopes_.emplace_back();
        if (is_header) begin(words);
      } else if (c == '}' && words.empty()) {
        scopes_.pop_back();
        if (scopes_.size() == 1) end();
      } else if (c == ':' && is_name(words)) {
        labels_[words] = function_->code.size();
      } else {
        statement += c;
        continue;
      }
      statement.clear();
    }
    for (auto& [name, function] : module_->functions)
      for (Instruction& one : function->code)
        if (const auto call = calls_.find(&one); call != calls_.end()) {
          const auto found = module_->functions.find(call->second);
          if (found == module_->functions.end()) refuse(one.text);
          one.callee = found->second.get();
        }
    module_->static_shared = aligned(module_->static_shared, 16);
    return std::move(module_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Fault("PTX: unknown instruction \"" + what + "\" in " +
                (function_ ? function_->name : "the module"));
  }

  /// The header of an entry, or of a device function.
  void begin(const std::string& words) {
    const bool is_entry = words.find(".entry") != std::string::npos;
    auto at = words.find(is_entry ? ".entry" : ".func") + (is_entry ? 6 : 5);
    const auto list = [&] {
      const auto end = words.find(')', at);
      const std::string inner = words.substr(at + 1, end - at - 1);
      at = end + 1;
      return split(inner, ',');
    };
    at = words.find_first_not_of(" \t\n", at);
    Words results;
    if (words[at] == '(') results = list();
    const auto open = words.find('(', at);
    const std::string name = trimmed(words.substr(at, open - at));
    auto& function = module_->functions[name];
    function = std::make_unique<Function>();
    function_ = function.get();
    function_->name = name;
    if (open != std::string::npos) at = open;
    Words parameters = open != std::string::npos ? list() : Words();
    parameters.insert(parameters.begin(), results.begin(), results.end());
    for (const std::string& parameter : parameters) {
      const Declaration one = declaration(parameter);
      const std::size_t offset = aligned(function_->parameter_bytes, one.align);
      function_->parameters.push_back({one.name, offset, one.bytes});
      function_->parameter_bytes = offset + one.bytes;
      if (is_entry) {
        scopes_.back()[one.name] = {-1, parameter_start + offset};
      } else {
        function_->argument_slots.push_back(function_->slots);
        scopes_.back()[one.name] = {function_->slots++};
      }
    }
    if (const auto most = words.find(".maxntid"); most != std::string::npos) {
      function_->most_threads = 1;
      for (const std::string& size :
           split(words.substr(most + 8, words.find('.', most + 8) - most - 8), ','))
        function_->most_threads *= static_cast<unsigned>(std::stoul(size));
    }
    labels_.clear();
    branches_.clear();
  }

  void end() {
    Instruction leave;
    leave.text = "ret";
    leave.run = handler({"ret"}, leave);
    function_->code.push_back(leave);
    for (const auto& [number, label] : branches_) {
      if (!labels_.count(label)) refuse(function_->code[number].text);
      function_->code[number].target = labels_[label];
    }
    for (const auto& [number, name] : pending_calls_) calls_[&function_->code[number]] = name;
    pending_calls_.clear();
    function_ = nullptr;
  }

  void take(const std::string& words) {
    if (words.rfind(".reg", 0) == 0) return registers(words);
    if (words.rfind(".pragma", 0) == 0) return;
    words[0] == '.' ? variable(words) : instruction(words);
  }

  void registers(const std::string& words) {
    const auto type = words.find('.', 1);
    const auto names = words.find_first_of(" \t\n", type);
    for (const std::string& name : split(words.substr(names), ',')) {
      const auto range = name.find('<');
      if (range == std::string::npos) {
        scopes_.back()[name] = {function_->slots++};
        continue;
      }
      for (unsigned long i = 0, count = std::stoul(name.substr(range + 1)); i < count; ++i)
        scopes_.back()[name.substr(0, range) + std::to_string(i)] = {function_->slots++};
    }
  }

  void variable(const std::string& words) {
    const auto equals = words.find('=');
    const Declaration one = declaration(words.substr(0, equals));
    if (one.space == "shared") {
      if (!one.is_sized) {
        module_->dynamic_shared.push_back(one.name);
      } else {
        module_->static_shared = aligned(module_->static_shared, one.align);
        module_->shared[one.name] = module_->static_shared;
        module_->static_shared += one.bytes;
      }
    } else if (function_) {
      function_->local_bytes = aligned(function_->local_bytes, one.align);
      scopes_.back()[one.name] = {frame_start, function_->local_bytes};
      function_->local_bytes += one.bytes;
    } else {
      Variable& memory = module_->variables[one.name];
      memory.bytes = one.bytes;
      memory.words.assign(one.bytes / 8 + 2, 0);
      auto* to = reinterpret_cast<unsigned char*>(memory.words.data());
      const std::string list = equals == std::string::npos ? "" : trimmed(words.substr(equals + 1));
      for (const std::string& value :
           split(list.rfind("{", 0) == 0 ? list.substr(1, list.size() - 2) : list, ',')) {
        const std::uint64_t bits = operand(value).constant;
        std::memcpy(to, &bits, bytes_of(one.type));
        to += bytes_of(one.type);
      }
    }
  }

  Operand number(const std::string& text) const {
    if (text.rfind("0d", 0) == 0 || text.rfind("0D", 0) == 0 || text.rfind("0f", 0) == 0 ||
        text.rfind("0F", 0) == 0)
      return {-1, std::stoull(text.substr(2), nullptr, 16)};
    return {-1, text[0] == '-' ? static_cast<std::uint64_t>(std::stoll(text, nullptr, 0))
                               : std::stoull(text, nullptr, 0)};
  }

  Operand symbol(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    if (const auto found = module_->shared.find(name); found != module_->shared.end())
      return {-1, found->second};
    if (const auto found = module_->variables.find(name); found != module_->variables.end())
      return {-1, reinterpret_cast<std::uint64_t>(found->second.words.data())};
    const auto& dynamic = module_->dynamic_shared;
    if (std::find(dynamic.begin(), dynamic.end(), name) != dynamic.end())
      // Known when all of them are: behind the static ones.
      return {-1, dynamic_mark};
    static const Words specials{"%tid.x",    "%tid.y",    "%tid.z",   "%ntid.x",  "%ntid.y",
                                "%ntid.z",   "%ctaid.x",  "%ctaid.y", "%ctaid.z", "%nctaid.x",
                                "%nctaid.y", "%nctaid.z", "%laneid",  "%warpid"};
    const auto special = std::find(specials.begin(), specials.end(), name);
    if (special != specials.end()) return {static_cast<int>(special - specials.begin())};
    if (name == "_") return {};
    throw Fault("PTX: unknown operand \"" + name + "\"");
  }

  Operand operand(const std::string& text) const {
    if (text == "WARP_SZ") return {-1, 32};
    if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') return number(text);
    if (text[0] == '!') {
      Operand result = symbol(text.substr(1));
      result.inverted = true;
      return result;
    }
    const auto plus = text.find('+');
    Operand result = symbol(trimmed(text.substr(0, plus)));
    if (plus != std::string::npos)
      result.constant += number(trimmed(text.substr(plus + 1))).constant;
    return result;
  }

  void instruction(const std::string& words) {
    Instruction one;
    one.text = words;
    std::replace_if(
        one.text.begin(), one.text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    std::string rest = words;
    if (rest[0] == '@') {
      const auto space = rest.find_first_of(" \t\n");
      one.is_predicated = true;
      one.predicate = operand(rest.substr(1, space - 1));
      rest = trimmed(rest.substr(space));
    }
    const auto end = rest.find_first_of(" \t\n");
    const Words name = split(rest.substr(0, end), '.');
    const std::string list = end == std::string::npos ? "" : rest.substr(end);
    if (name[0] == "bra") {
      branches_.emplace_back(function_->code.size(), trimmed(list));
    } else if (name[0] == "call") {
      for (const std::string& part : split(list, ','))
        if (part[0] == '(')
          for (const std::string& argument : split(part.substr(1, part.size() - 2), ','))
            one.operands.push_back(operand(argument));
        else
          pending_calls_.emplace_back(function_->code.size(), part);
    } else {
      for (const std::string& part : split(list, ',')) operands(part, one);
    }
    try {
      one.run = handler(name, one);
    } catch (const std::exception&) {
      refuse(one.text);
    }
    function_->code.push_back(one);
  }

  void operands(const std::string& part, Instruction& one) const {
    if (part[0] == '[') {
      // A copy has two: the second is an operand.
      const Operand address = operand(trimmed(part.substr(1, part.size() - 2)));
      if (one.has_second_result)
        one.operands.push_back(address);
      else
        one.address = address;
      one.has_second_result = true;
    } else if (part[0] == '{') {
      const Words elements = split(part.substr(1, part.size() - 2), ',');
      one.elements = static_cast<int>(elements.size());
      // 0: the destination is spread out; 1: the source.
      one.mode = static_cast<int>(one.operands.size());
      for (const std::string& element : elements) one.operands.push_back(operand(element));
    } else {
      for (const std::string& element : split(part, '|')) one.operands.push_back(operand(element));
    }
  }

  std::string text_;
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  std::vector<std::map<std::string, Operand>> scopes_{1};
  Function* function_ = nullptr;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_, pending_calls_;
  std::map<const Instruction*, std::string> calls_;

 public:
  static constexpr std::uint64_t dynamic_mark = std::uint64_t{0xd1ca5e} << 32;
};

}  // namespace

std::unique_ptr<Module> parsed(const std::string& text) {
  auto module = Parser(text).module();
  for (auto& [name, function] : module->functions)
    for (Instruction& one : function->code) {
      const auto resolve = [&](Operand& operand) {
        if (operand.slot < 0 && operand.constant >> 32 == Parser::dynamic_mark >> 32)
          operand.constant += module->static_shared - Parser::dynamic_mark;
      };
      resolve(one.address);
      for (Operand& operand : one.operands) resolve(operand);
    }
  return module;
}

}  // namespace rooftune::ptx
