// Code that restores every flag it changes: the code around relies on all of them.
#include "instrumentation/trace_code.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "instrumentation/instruction.h"
#include "instrumentation/weaving.h"

namespace rooftune::instrumentation {
namespace {

/// rax and rcx on the stack below the red zone; rcx is then the end of the block's words.
constexpr const char* open_record =
    "\tleaq\t-128(%rsp), %rsp\n"
    "\tpushq\t%rax\n"
    "\tpushq\t%rcx\n";
constexpr const char* load_cursor =
    "\tmovq\trt_count_cursor@gottpoff(%rip), %rcx\n"
    "\tmovq\t%fs:(%rcx), %rcx\n";
constexpr const char* close_record =
    "\tpopq\t%rcx\n"
    "\tpopq\t%rax\n"
    "\tleaq\t128(%rsp), %rsp\n";
constexpr int bytes_moved = red_zone + 16;  ///< distance of rsp in between

/// An operand as it reads after rsp has moved.
std::string moved(const std::string& operand) {
  const std::size_t open = operand.find('(');
  if (open == std::string::npos || operand.compare(open, 5, "(%rsp") != 0) return operand;
  const std::string offset = operand.substr(0, open);
  long long number = 0;
  const char* const end = offset.data() + offset.size();
  const auto read = std::from_chars(offset.data(), end, number);
  if (offset.empty() || (read.ec == std::errc{} && read.ptr == end))
    return fmt::format("{}{}", number + bytes_moved, operand.substr(open));
  return fmt::format("{}+{}{}", offset, bytes_moved, operand.substr(open));
}

/// Vector registers from 16 on exist in EVEX encoding only.
bool needs_evex(const std::string& name) {
  return name[1] == 'z' || (name.size() > 5 && std::isdigit(static_cast<unsigned char>(name[5])));
}

}  // namespace

std::string TraceCode::header(std::size_t number, std::size_t words) const {
  return free_ ? free_header(number, 8 * words) : stacked_header(number, 8 * words);
}

std::string TraceCode::stacked_header(std::size_t number, std::size_t bytes) const {
  return fmt::format(
      "\tleaq\t-128(%rsp), %rsp\n"
      "\tpushq\t%rax\n"
      "\tpushq\t%rcx\n"
      "\tpushq\t%rdx\n"
      // lahf leaves out the overflow; adding 127 to a byte of 0 or 1 restores it.
      "\tlahf\n\tseto\t%al\n"
      "\tmovq\trt_count_cursor@gottpoff(%rip), %rcx\n"
      "\tmovq\t%fs:(%rcx), %rdx\n"
      "\taddq\t${0}, %rdx\n"
      "\tcmpq\t%fs:8(%rcx), %rdx\n"
      "\tjbe\t.Lrt_count_{1}\n"
      "\tmovl\t${0}, %edx\n"
      "\tcall\trt_count_refill\n"
      ".Lrt_count_{1}:\n"
      "\tmovq\t%rdx, %fs:(%rcx)\n"
      "\tmovq\t${1}, -{0}(%rdx)\n"
      "\taddb\t$127, %al\n\tsahf\n"
      "\tpopq\t%rdx\n"
      "\tpopq\t%rcx\n"
      "\tpopq\t%rax\n"
      "\tleaq\t128(%rsp), %rsp\n",
      bytes, number);
}

std::string TraceCode::free_header(std::size_t number, std::size_t bytes) const {
  return fmt::format(
      "\tleaq\t-128(%rsp), %rsp\n"
      "\tpushq\t{3}\n"
      "\tmovq\trt_count_cursor@gottpoff(%rip), {3}\n"
      "\tmovq\t{2}, %fs:16({3})\n"
      "\tpopq\t{2}\n"
      "\tmovq\t{2}, %fs:24({3})\n"
      "\tleaq\t128(%rsp), %rsp\n"
      "\tmovq\t%rax, %fs:32({3})\n\tlahf\n\tseto\t%al\n"
      "\tmovq\t%fs:({3}), {2}\n"
      "\taddq\t${0}, {2}\n"
      "\tcmpq\t%fs:8({3}), {2}\n"
      "\tjbe\t.Lrt_count_{1}\n"
      "\tleaq\t-128(%rsp), %rsp\n"
      "\tpushq\t%rcx\n"
      "\tpushq\t%rdx\n"
      "\tmovq\t{3}, %rcx\n"
      "\tmovl\t${0}, %edx\n"
      "\tcall\trt_count_refill\n"
      "\tmovq\t%rdx, {2}\n"
      "\tpopq\t%rdx\n"
      "\tpopq\t%rcx\n"
      "\tleaq\t128(%rsp), %rsp\n"
      ".Lrt_count_{1}:\n"
      "\tmovq\t{2}, %fs:({3})\n"
      "\tmovq\t${1}, -{0}({2})\n"
      "\taddb\t$127, %al\n\tsahf\n\tmovq\t%fs:32({3}), %rax\n",
      bytes, number, free_->end, free_->scratch);
}

std::string TraceCode::footer() const {
  if (!free_) return {};
  return fmt::format(
      "\tmovq\trt_count_cursor@gottpoff(%rip), {1}\n"
      "\tmovq\t%fs:16({1}), {0}\n"
      "\tmovq\t%fs:24({1}), {1}\n",
      free_->end, free_->scratch);
}

std::string TraceCode::word(const std::string& compute, const char* move, const std::string& value,
                            std::size_t bytes_back) const {
  const std::string store =
      fmt::format("\t{}\t{}, -{}({})\n", move, value, bytes_back, free_ ? free_->end : "%rcx");
  return free_ ? compute + store : open_record + compute + load_cursor + store + close_record;
}

std::string TraceCode::address(const std::string& operand, std::size_t bytes_back) const {
  const std::string value = free_ ? free_->scratch : "%rax";
  return word(fmt::format("\tleaq\t{}, {}\n", free_ ? operand : moved(operand), value), "movq",
              value, bytes_back);
}

std::string TraceCode::mask(const std::string& mask, int lanes, int element,
                            std::size_t bytes_back) const {
  const std::string whole = free_ ? free_->scratch : "%rax", half = free_ ? whole + "d" : "%eax";
  std::string move;
  if (mask.starts_with("%k"))
    move = fmt::format("\t{}\t{}, {}\n", lanes <= 16 ? "kmovw" : "kmovq", mask,
                       lanes <= 16 ? half : whole);
  else
    move = fmt::format("\tvmovmskp{}\t{}, {}\n", element == 8 ? 'd' : 's', mask, half);
  return word(move, "movq", whole, bytes_back);
}

std::string TraceCode::vector(const std::string& name, std::size_t bytes_back) const {
  return word({}, needs_evex(name) ? "vmovdqu64" : "vmovdqu", name, bytes_back);
}

std::string trace_runtime(std::size_t most_words) {
  return fmt::format(
      "\t.text\n"
      "\t.p2align 4\n"
      "\t.type\trt_count_refill, @function\n"
      // rax: flags, kept; rcx: offset of the cursor, kept; rdx: bytes wanted, then the end of them.
      // xsave (0xe7) keeps the state of x87, SSE, AVX and AVX-512 from the hook.
      "rt_count_refill:\n"
      "\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n"
      "\tpushq\t%rax\n\tpushq\t%rcx\n\tpushq\t%rdx\n\tpushq\t%rsi\n\tpushq\t%rdi\n"
      "\tpushq\t%r8\n\tpushq\t%r9\n\tpushq\t%r10\n\tpushq\t%r11\n\tpushq\t%rbx\n"
      "\tsubq\t$4096, %rsp\n\tandq\t$-64, %rsp\n"
      "\tmovq\t%fs:0, %rdi\n\taddq\t%rcx, %rdi\n\tmovq\t%rdi, %rbx\n\tmovq\t%rdx, %rsi\n"
      "\txorl\t%eax, %eax\n"
      "\tmovq\t%rax, 512(%rsp)\n\tmovq\t%rax, 520(%rsp)\n\tmovq\t%rax, 528(%rsp)\n"
      "\tmovq\t%rax, 536(%rsp)\n\tmovq\t%rax, 544(%rsp)\n\tmovq\t%rax, 552(%rsp)\n"
      "\tmovq\t%rax, 560(%rsp)\n\tmovq\t%rax, 568(%rsp)\n"
      "\tmovl\t$0xe7, %eax\n\txorl\t%edx, %edx\n\txsave64\t(%rsp)\n"
      // Constructors run before anyone could set the hook: each of their blocks goes to the spare.
      "\tmovq\t{0}@GOTPCREL(%rip), %rax\n\tmovq\t(%rax), %rax\n"
      "\ttestq\t%rax, %rax\n\tje\t.Lrt_count_spare\n"
      "\tcall\t*%rax\n\tjmp\t.Lrt_count_filled\n"
      ".Lrt_count_spare:\n"
      "\tleaq\trt_count_spare(%rip), %rax\n\tmovq\t%rax, (%rbx)\n"
      "\taddq\t-24(%rbp), %rax\n\tmovq\t%rax, 8(%rbx)\n"
      ".Lrt_count_filled:\n"
      "\tmovl\t$0xe7, %eax\n\txorl\t%edx, %edx\n\txrstor64\t(%rsp)\n"
      "\tmovq\t(%rbx), %rax\n"
      "\taddq\t%rax, -24(%rbp)\n"
      "\tleaq\t-80(%rbp), %rsp\n"
      "\tpopq\t%rbx\n\tpopq\t%r11\n\tpopq\t%r10\n\tpopq\t%r9\n\tpopq\t%r8\n"
      "\tpopq\t%rdi\n\tpopq\t%rsi\n\tpopq\t%rdx\n\tpopq\t%rcx\n\tpopq\t%rax\n"
      "\tpopq\t%rbp\n\tret\n"
      "\t.size\trt_count_refill, .-rt_count_refill\n"
      // Next and end of the buffer, then a block's saved values of its two registers and of rax.
      "\t.section\t.tbss,\"awT\",@nobits\n\t.align 16\n"
      "\t.type\trt_count_cursor, @object\n\t.size\trt_count_cursor, 48\n"
      "rt_count_cursor:\n\t.zero\t48\n"
      "\t.bss\n\t.align 8\n\t.globl\t{0}\n\t.type\t{0}, @object\n\t.size\t{0}, 8\n"
      "{0}:\n\t.zero\t8\n"
      "\t.align 64\n\t.local\trt_count_spare\n\t.type\trt_count_spare, @object\n"
      "rt_count_spare:\n\t.zero\t{1}\n",
      trace_hook_symbol, 8 * most_words);
}

}  // namespace rooftune::instrumentation
