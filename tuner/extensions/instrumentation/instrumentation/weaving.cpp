#include "instrumentation/weaving.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/list.h"
#include "core/number.h"
#include "core/split.h"
#include "core/text.h"
#include "instrumentation/dependence.h"
#include "instrumentation/effect.h"
#include "instrumentation/instruction.h"
#include "instrumentation/trace.h"

namespace rooftune::instrumentation {
namespace {

template <class List, class Item>
size_t position(List& list, const Item& item) {
  const auto found = std::ranges::find(list, item);
  if (found != list.end()) return size_t(found - list.begin());
  list.push_back(item);
  return list.size() - 1;
}

/// How far rsp moves while a word is written [B]: past the bytes below the stack pointer, where
/// leaf functions keep variables, and two registers.
constexpr int bytes_moved = 128 + 16;

/// How an operand reads after rsp has moved.
std::string moved(const std::string& operand) {
  const size_t open = operand.find('(');
  if (open == std::string::npos || operand.compare(open, 5, "(%rsp") != 0) return operand;
  const std::string offset = operand.substr(0, open);
  const auto number = offset.empty() ? std::optional(0LL) : number_in<long long>(offset);
  if (number) return fmt::format("{}{}", *number + bytes_moved, operand.substr(open));
  return fmt::format("{}+{}{}", offset, bytes_moved, operand.substr(open));
}

/// Vector registers from 16 on exist in EVEX encoding only.
bool needs_evex(const std::string& name) {
  return name[1] == 'z' || (name.size() > 5 && is_digit(name[5]));
}

/// The code before a block of `words` words: makes room, writes the block's number. It restores
/// every flag that it changes, for the code around relies on all of them.
std::string block_header(size_t number, size_t words) {
  // lahf leaves out the overflow; adding 127 to a byte of 0 or 1 restores it.
  return fmt::format(R"(	leaq	-128(%rsp), %rsp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	lahf
	seto	%al
	movq	rt_count_cursor@gottpoff(%rip), %rcx
	movq	%fs:(%rcx), %rdx
	addq	${0}, %rdx
	cmpq	%fs:8(%rcx), %rdx
	jbe	.Lrt_count_{1}
	movl	${0}, %edx
	call	rt_count_refill
.Lrt_count_{1}:
	movq	%rdx, %fs:(%rcx)
	movq	${1}, -{0}(%rdx)
	addb	$127, %al
	sahf
	popq	%rdx
	popq	%rcx
	popq	%rax
	leaq	128(%rsp), %rsp
)",
                     8 * words, number);
}

/// Code that computes a word and stores it `bytes_back` before the block's words end.
std::string stored(const std::string& compute, const char* move, const std::string& value,
                   size_t bytes_back) {
  return fmt::format(R"(	leaq	-128(%rsp), %rsp
	pushq	%rax
	pushq	%rcx
{}	movq	rt_count_cursor@gottpoff(%rip), %rcx
	movq	%fs:(%rcx), %rcx
	{}	{}, -{}(%rcx)
	popq	%rcx
	popq	%rax
	leaq	128(%rsp), %rsp
)",
                     compute, move, value, bytes_back);
}

/// What one line leaves in the trace before it runs.
struct Word {
  enum class Kind {
    address,  ///< a memory operand's
    mask,     ///< a mask register's active lanes, or a vector's sign bits, in `element`-byte lanes
    vector    ///< a whole vector register
  } kind;
  std::string operand;
  int lanes = 0, element = 0;
  size_t position = 0;  ///< how many of the block's words come before

  std::string code(size_t bytes_back) const {
    if (kind == Kind::vector)
      return stored({}, needs_evex(operand) ? "vmovdqu64" : "vmovdqu", operand, bytes_back);
    std::string move = fmt::format("\tleaq\t{}, %rax\n", moved(operand));
    if (kind == Kind::mask)
      move = operand.starts_with("%k")
                 ? fmt::format("\t{}\t{}, {}\n", lanes <= 16 ? "kmovw" : "kmovq", operand,
                               lanes <= 16 ? "%eax" : "%rax")
                 : fmt::format("\tvmovmskp{}\t{}, %eax\n", element == 8 ? 'd' : 's', operand);
    return stored(move, "movq", "%rax", bytes_back);
  }
};

/// A block while its lines are read. Words are counted before any code is written, for each word is
/// stored relative to their end.
class Block {
 public:
  bool empty() const { return lines_.empty(); }
  void add(const std::string& line, const std::optional<Instruction>& instruction,
           TraceTable& table) {
    lines_.push_back({line, {}});
    if (!instruction || instruction->mnemonic.empty()) return;
    take(*instruction, lines_.back(), table);
    code_.push_back(*instruction);
  }
  const Instructions& code() const { return code_; }

  /// The lines with their trace; `table` gets the block.
  std::string woven(TraceTable& table) const {
    std::string text;
    if (traced_.instructions > 0) text += block_header(table.blocks.size(), traced_.words);
    table.blocks.push_back(traced_);
    for (const Line& line : lines_) {
      for (const Word& word : line.words) text += word.code(8 * (traced_.words - word.position));
      text += line.text + '\n';
    }
    return text;
  }

 private:
  using Kind = TraceStep::Kind;
  struct Line {
    std::string text;
    std::vector<Word> words;
  };

  void word(Line& line, Word word, int size = 1) {
    word.position = traced_.words;
    line.words.push_back(std::move(word));
    traced_.words += size_t(size);
  }
  TraceStep& step(Kind kind) {
    traced_.steps.emplace_back().kind = kind;
    return traced_.steps.back();
  }
  /// A copy or a fill: its words are addresses.
  void move(Kind kind, Line& line, std::initializer_list<std::string> operands) {
    for (const std::string& operand : operands) word(line, {Word::Kind::address, operand});
    step(kind);
  }

  void take_access(const Access& access, Line& line) {
    TraceStep& one = traced_.steps.emplace_back(access);
    word(line, {Word::Kind::address, access.operand});
    if (!access.indices.empty()) {
      one.kind = access.kind == Kind::store ? Kind::scatter : Kind::gather;
      one.index_words = register_of(access.indices).bytes / 8;
      word(line, {Word::Kind::vector, access.indices}, one.index_words);
    } else if (access.mask.empty()) {
      one.element = 0;
      return;
    } else {
      one.masked = true;
      one.lanes = access.bytes / access.element;
    }
    word(line, {Word::Kind::mask, access.mask, one.lanes, one.element});
  }

  void take_call(const Instruction& instruction, Line& line, TraceTable& table) {
    if (instruction.operands.empty()) return;
    const std::string& target = instruction.operands[0].text;
    std::string name = text_before(target, '@');
    if (name.starts_with("*")) name = name.substr(1);
    // Calls that move memory as the kernel's loops would.
    if (is_among(name,
                 "memcpy memmove __memcpy_chk __memmove_chk __builtin_memcpy __builtin_memmove"))
      return move(Kind::copy, line, {"(%rdi)", "(%rsi)", "(%rdx)"});
    if (is_among(name, "memset")) return move(Kind::fill, line, {"(%rdi)", "(%rdx)"});
    if (!name.empty() && name[0] != '.' && name[0] != '%' && !contains(name, '('))
      traced_.calls.push_back(position(table.calls, name));
  }

  void take(const Instruction& instruction, Line& line, TraceTable& table) {
    ++traced_.instructions;
    if (instruction.is_call()) return take_call(instruction, line, table);
    if (instruction.is("jmp") && !instruction.operands.empty() &&
        contains(instruction.operands[0].text, "@PLT"))
      return take_call(instruction, line, table);
    if (instruction.repeats()) {
      const std::string repeated =
          fmt::format("(,%rcx,{})", instruction.mnemonic.ends_with("q") ? 8 : 1);
      if (instruction.mnemonic.starts_with("stos"))
        return move(Kind::fill, line, {"(%rdi)", repeated});
      if (instruction.mnemonic.starts_with("movs"))
        return move(Kind::copy, line, {"(%rdi)", "(%rsi)", repeated});
    }
    const Effect effect = effect_of(instruction);
    for (const Access& access : effect.accesses) take_access(access, line);
    std::vector<Operations> all = effect.operations;
    append(all, effect.integers);
    for (const Operations& operations : all) {
      const size_t kind =
          position(table.operations, std::pair(operations.precision, operations.kind));
      if (operations.mask.empty()) {
        traced_.operations.emplace_back(kind, uint64_t(operations.lanes));
        continue;
      }
      word(line, {Word::Kind::mask, operations.mask, operations.lanes, 8});
      TraceStep& one = step(Kind::operation);
      one.operation = kind;
      one.lanes = operations.lanes;
    }
    if (effect.unknown) traced_.unknown.push_back(position(table.unknown, instruction.mnemonic));
  }

  std::vector<Line> lines_;
  Instructions code_;
  TraceBlock traced_;
};

/// Walks over a file's lines and closes a block wherever control may enter or leave.
class Weaver {
 public:
  void line(std::string_view text) {
    const std::string_view start = trimmed(text);
    if (start.empty() || start[0] == '#') return;
    // Strings in data may hold any character.
    if (start[0] == '.') return statement(start);
    for (const std::string& one : split(std::string(text_before(text, '#')), ';')) statement(one);
  }

  std::string finish() {
    close();
    if (table_.blocks.empty())
      throw Error("the compiler's assembly holds no code", "compiler",
                  "counting needs a compiler that writes x86-64 assembly");
    out_ += trace_runtime(most_words_);
    out_ += fmt::format("\t.section\t.rodata\n\t.globl\t{0}\n\t.type\t{0}, @object\n{0}:\n",
                        trace_table_symbol);
    for (const auto& [block, chain] : chains_of_loops(code_, labels_))
      for (const auto& [link, count] : chain)
        table_.blocks[block].chain.emplace_back(position(table_.links, link), count);
    // A function in this file is traced in its own body.
    for (TraceBlock& block : table_.blocks)
      std::erase_if(block.calls, [&](size_t name) { return labels_.contains(table_.calls[name]); });
    const std::string text = json_text(encode(table_));
    constexpr size_t chunk = 4096;
    for (size_t at = 0; at < text.size(); at += chunk)
      out_ += fmt::format("\t.ascii\t{}\n", json_text(text.substr(at, chunk)));
    out_ += fmt::format("\t.byte\t0\n\t.size\t{0}, .-{0}\n", trace_table_symbol);
    out_ += "\t.section\t.note.GNU-stack,\"\",@progbits\n";
    return out_;
  }

 private:
  void statement(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return;
    const size_t colon = text.find(':');
    if (colon != std::string_view::npos &&
        text.substr(0, colon).find_first_of(" \t(%$\"") == std::string_view::npos) {
      close();
      out_ += fmt::format("{}\n", text.substr(0, colon + 1));
      labels_.emplace(text.substr(0, colon), table_.blocks.size());
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
    block_.add("\t" + whole, instruction, table_);
    if (instruction && instruction->ends_block()) close();
  }

  void directive(std::string_view text) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const auto named = [&] {
      const std::string_view rest = trimmed(text.substr(word.size()));
      return std::string(rest.substr(0, rest.find_first_of(", \t")));
    };
    if (is_among(word, ".intel_syntax"))
      throw Error("assembly in Intel syntax cannot be counted", "compiler", "leave -masm alone");
    if (is_among(word, ".text .data .bss")) sections_.back() = word;
    if (is_among(word, ".section")) sections_.back() = named();
    if (is_among(word, ".pushsection")) sections_.push_back(named());
    if (is_among(word, ".popsection .previous") && sections_.size() > 1) sections_.pop_back();
    // Notes for debuggers lie between instructions; everything else ends the block.
    if (word.starts_with(".cfi") || is_among(word, ".loc"))
      return block_.add(std::string(text), {}, table_);
    close();
    out_ += fmt::format("\t{}\n", text);
  }

  void close() {
    if (block_.empty()) return;
    out_ += block_.woven(table_);
    code_.push_back(block_.code());
    most_words_ = std::max(most_words_, table_.blocks.back().words);
    block_ = Block();
  }

  LabelledBlocks labels_;           ///< the block behind each
  std::vector<Instructions> code_;  ///< each block's
  std::string out_;
  TraceTable table_;
  Block block_;
  size_t most_words_ = 1;
  Texts sections_{".text"};
  std::string prefix_;  ///< "lock" alone on a line
};

}  // namespace

std::string counting_assembly(const std::string& assembly) {
  Weaver weaver;
  for (const std::string& line : split(assembly)) weaver.line(line);
  return weaver.finish();
}

}  // namespace rooftune::instrumentation
