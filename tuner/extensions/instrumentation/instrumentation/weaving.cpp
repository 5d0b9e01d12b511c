// The weaving of the trace into assembly, block by block.
#include "instrumentation/weaving.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "instrumentation/arithmetic.h"
#include "instrumentation/effect.h"
#include "instrumentation/trace_code.h"

namespace rooftune::instrumentation {
namespace {

/// Calls that move memory as loops of the kernel would.
constexpr std::array<std::string_view, 6> copy_functions{
    "memcpy", "memmove", "__memcpy_chk", "__memmove_chk", "__builtin_memcpy", "__builtin_memmove"};

/// A block while its lines are read. Words are counted before any code is made, because each lies
/// a distance before their end.
class Block {
 public:
  bool empty() const { return lines_.empty(); }
  std::size_t words() const { return words_; }
  void add(const std::string& line, const std::optional<Instruction>& instruction);
  /// The lines with their trace; `table` gets the block's line.
  std::string woven(std::size_t number, std::string& table) const;

 private:
  /// A token's code before a line, and the number of words before it.
  struct Word {
    enum class Kind { address, mask, vector } kind;
    std::string operand;
    int lanes = 0, element = 0;
    std::size_t position = 0;
  };
  struct Line {
    std::string text;
    std::vector<Word> words;
  };

  void take(const Instruction& instruction, Line& line);
  void take_access(const Access& access, Line& line);
  void take_call(const Instruction& instruction, Line& line);
  void word(Line& line, Word word, std::size_t size = 1);
  TraceCode code() const;
  void token(const std::string& text) { tokens_ += " " + text; }

  std::vector<Line> lines_;
  std::string tokens_;
  std::size_t words_ = 1, instructions_ = 0;
  /// Whether the block reads flags set before it; while undecided, perhaps the code behind it does.
  std::optional<bool> reads_flags_;
  bool leaves_ = false;  ///< control leaves with its last line and never falls through
};

/// Registers without implicit uses.
constexpr std::array<const char*, 8> registers{"%r8",  "%r9",  "%r10", "%r11",
                                               "%r12", "%r13", "%r14", "%r15"};

TraceCode Block::code() const {
  const auto mentions = [&](const char* word) {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const Line& line) { return line.text.find(word) != std::string::npos; });
  };
  std::vector<std::string> free;
  // Linkers need the sequence for a thread-local variable unchanged, down to its call.
  if (!mentions("@tls"))
    std::copy_if(registers.begin(), registers.end(), std::back_inserter(free),
                 [&](const char* name) { return !mentions(name); });
  const bool flags_needed = reads_flags_.value_or(true);
  // A block without addresses needs registers only to write its number.
  if (free.size() < 2 || words_ == 1) return {{}, flags_needed};
  return {FreeRegisters{free[0], free[1]}, flags_needed};
}

void Block::word(Line& line, Word word, std::size_t size) {
  word.position = words_;
  line.words.push_back(std::move(word));
  words_ += size;
}

void Block::take_access(const Access& access, Line& line) {
  static constexpr std::array<const char*, 4> names{"ld", "st", "nt", "pf"};
  const bool store = access.kind == Access::Kind::store;
  word(line, {Word::Kind::address, access.operand});
  if (!access.indices.empty()) {
    const int bytes = register_bytes(access.indices);
    word(line, {Word::Kind::vector, access.indices}, static_cast<std::size_t>(bytes) / 8);
    word(line, {Word::Kind::mask, access.mask, access.lanes, access.element});
    return token(fmt::format("{}:{}:{}:{}:{}:{}", store ? "sc" : "ga", access.element, access.lanes,
                             access.scale, access.index_bytes, bytes / 8));
  }
  if (access.mask.empty())
    return token(fmt::format("{}:{}", names[static_cast<std::size_t>(access.kind)], access.bytes));
  word(line, {Word::Kind::mask, access.mask, access.bytes / access.element, access.element});
  token(fmt::format("{}{}:{}:{}", store ? "st" : "ld", access.compressed ? "c" : "m", access.bytes,
                    access.element));
}

void Block::take_call(const Instruction& instruction, Line& line) {
  if (instruction.operands.empty()) return;
  const std::string& target = instruction.operands[0].text;
  std::string name = target.substr(0, target.find('@'));
  if (name.starts_with("*")) name = name.substr(1);
  const bool copies =
      std::find(copy_functions.begin(), copy_functions.end(), name) != copy_functions.end();
  if (copies || name == "memset") {
    word(line, {Word::Kind::address, "(%rdi)"});
    if (copies) word(line, {Word::Kind::address, "(%rsi)"});
    word(line, {Word::Kind::address, "(%rdx)"});
    return token(copies ? "copy" : "fill");
  }
  if (!name.empty() && name[0] != '.' && name[0] != '%' && name.find('(') == std::string::npos)
    token("call:" + name);
}

void Block::take(const Instruction& instruction, Line& line) {
  ++instructions_;
  if (instruction.is_call()) return take_call(instruction, line);
  if (instruction.mnemonic == "jmp" && !instruction.operands.empty() &&
      instruction.operands[0].text.find("@PLT") != std::string::npos)
    return take_call(instruction, line);
  if (instruction.repeats() && instruction.mnemonic.starts_with("stos")) {
    const int bytes = instruction.mnemonic.ends_with("q") ? 8 : 1;
    word(line, {Word::Kind::address, "(%rdi)"});
    word(line, {Word::Kind::address, fmt::format("(,%rcx,{})", bytes)});
    return token("fill");
  }
  if (instruction.repeats() && instruction.mnemonic.starts_with("movs")) {
    const int bytes = instruction.mnemonic.ends_with("q") ? 8 : 1;
    word(line, {Word::Kind::address, "(%rdi)"});
    word(line, {Word::Kind::address, "(%rsi)"});
    word(line, {Word::Kind::address, fmt::format("(,%rcx,{})", bytes)});
    return token("copy");
  }
  const Effect effect = effect_of(instruction);
  for (const Access& access : effect.accesses) take_access(access, line);
  for (const Operations& operations : effect.operations) {
    if (!operations.mask.empty())
      word(line, {Word::Kind::mask, operations.mask, operations.lanes, 8});
    token(fmt::format("op{}:{}:{}:{}", operations.mask.empty() ? "" : "m", operations.precision,
                      operations.kind, operations.lanes));
  }
  if (effect.unknown) token("un:" + instruction.mnemonic);
}

void Block::add(const std::string& line, const std::optional<Instruction>& instruction) {
  lines_.push_back({line, {}});
  if (!instruction || instruction->mnemonic.empty()) return;
  take(*instruction, lines_.back());
  leaves_ = instruction->ends_block();
  if (reads_flags_) return;
  if (instruction->reads_flags()) reads_flags_ = true;
  // No function expects flags from its caller, nor finds them after a call.
  if (instruction->sets_all_flags() || instruction->is_call() || instruction->is_return())
    reads_flags_ = false;
}

std::string Block::woven(std::size_t number, std::string& table) const {
  std::string text;
  const TraceCode trace = code();
  if (instructions_ > 0) {
    table += fmt::format("{} in:{}{}\n", number, instructions_, tokens_);
    text += trace.header(number, words_);
  }
  for (const Line& line : lines_) {
    for (const Word& word : line.words) {
      const std::size_t back = 8 * (words_ - word.position);
      text += word.kind == Word::Kind::address ? trace.address(word.operand, back)
              : word.kind == Word::Kind::mask
                  ? trace.mask(word.operand, word.lanes, word.element, back)
                  : trace.vector(word.operand, back);
    }
    if (leaves_ && &line == &lines_.back()) text += trace.footer();
    text += line.text + '\n';
  }
  return leaves_ ? text : text + trace.footer();
}

/// Walks over the lines of a file and closes blocks at every entry and exit of control.
class Weaver {
 public:
  void line(std::string_view text);
  std::string finish();

 private:
  void statement(std::string_view text);
  void directive(std::string_view text);
  void close();
  void erase_local_calls();

  std::set<std::string> labels_;
  std::string out_, table_;
  Block block_;
  std::size_t blocks_ = 0, most_words_ = 1;
  std::vector<std::string> sections_{".text"};
  std::string prefix_;  ///< "lock" on a line of its own
};

void Weaver::close() {
  if (block_.empty()) return;
  out_ += block_.woven(blocks_++, table_);
  most_words_ = std::max(most_words_, block_.words());
  block_ = Block();
}

void Weaver::directive(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  const auto named = [&] {
    const std::string_view rest = trimmed(text.substr(word.size()));
    return std::string(rest.substr(0, rest.find_first_of(", \t")));
  };
  if (word == ".intel_syntax")
    throw Error("assembly in Intel syntax cannot be counted", "compiler", "leave -masm alone");
  if (word == ".text" || word == ".data" || word == ".bss") sections_.back() = word;
  if (word == ".section") sections_.back() = named();
  if (word == ".pushsection") sections_.push_back(named());
  if ((word == ".popsection" || word == ".previous") && sections_.size() > 1) sections_.pop_back();
  // Notes for debuggers lie between instructions; everything else ends the block.
  if (word.starts_with(".cfi") || word == ".loc") return block_.add(std::string(text), {});
  close();
  out_ += fmt::format("\t{}\n", text);
}

void Weaver::statement(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos &&
      text.substr(0, colon).find_first_of(" \t(%$\"") == std::string_view::npos) {
    close();
    out_ += fmt::format("{}\n", text.substr(0, colon + 1));
    labels_.emplace(text.substr(0, colon));
    return statement(text.substr(colon + 1));
  }
  if (text[0] == '.') return directive(text);
  if (!sections_.back().starts_with(".text")) {
    close();
    out_ += fmt::format("\t{}\n", text);
    return;
  }
  const std::string whole = prefix_ + std::string(text);
  const auto instruction = parse_instruction(whole);
  prefix_.clear();
  if (instruction && instruction->mnemonic.empty()) {
    prefix_ = whole + " ";
    return;
  }
  block_.add("\t" + whole, instruction);
  if (instruction && instruction->ends_block()) close();
}

void Weaver::line(std::string_view text) {
  const std::string_view start = trimmed(text);
  if (start.empty() || start[0] == '#') return;
  // Texts of data may hold any character.
  if (start[0] == '.') return statement(start);
  text = text.substr(0, text.find('#'));
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    statement(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// A function of this file is traced in its own body.
void Weaver::erase_local_calls() {
  static const std::string word = " call:";
  for (std::size_t at = table_.find(word); at != std::string::npos; at = table_.find(word, at)) {
    const std::size_t name = at + word.size(), end = table_.find_first_of(" \n", name);
    if (labels_.count(table_.substr(name, end - name)) > 0)
      table_.erase(at, end - at);
    else
      at = end;
  }
}

std::string Weaver::finish() {
  close();
  if (blocks_ == 0)
    throw Error("the compiler's assembly holds no code", "compiler",
                "counting needs a compiler that writes x86-64 assembly");
  out_ += trace_runtime(most_words_);
  out_ += fmt::format("\t.section\t.rodata\n\t.globl\t{0}\n\t.type\t{0}, @object\n{0}:\n",
                      trace_table_symbol);
  erase_local_calls();
  std::size_t begin = 0;
  while (begin < table_.size()) {
    const std::size_t end = table_.find('\n', begin);
    out_ += fmt::format("\t.ascii\t\"{}\\n\"\n", table_.substr(begin, end - begin));
    begin = end + 1;
  }
  out_ += fmt::format("\t.byte\t0\n\t.size\t{0}, .-{0}\n", trace_table_symbol);
  out_ += "\t.section\t.note.GNU-stack,\"\",@progbits\n";
  return out_;
}

}  // namespace

std::string counting_assembly(const std::string& assembly) {
  Weaver weaver;
  for (std::size_t begin = 0; begin < assembly.size();) {
    const std::size_t end = std::min(assembly.find('\n', begin), assembly.size());
    weaver.line(std::string_view(assembly).substr(begin, end - begin));
    begin = end + 1;
  }
  return weaver.finish();
}

}  // namespace rooftune::instrumentation
