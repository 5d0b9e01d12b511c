// The part of a counting artefact that is the same in each: assembly.
#include <fmt/format.h>

#include "instrumentation/trace.h"

namespace rooftune::instrumentation {

std::string trace_runtime(size_t most_words) {
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
      // Next and end of the buffer.
      "\t.section\t.tbss,\"awT\",@nobits\n\t.align 16\n"
      "\t.type\trt_count_cursor, @object\n\t.size\trt_count_cursor, 16\n"
      "rt_count_cursor:\n\t.zero\t16\n"
      "\t.bss\n\t.align 8\n\t.globl\t{0}\n\t.type\t{0}, @object\n\t.size\t{0}, 8\n"
      "{0}:\n\t.zero\t8\n"
      "\t.align 64\n\t.local\trt_count_spare\n\t.type\trt_count_spare, @object\n"
      "rt_count_spare:\n\t.zero\t{1}\n",
      trace_hook_symbol, 8 * most_words);
}

}  // namespace rooftune::instrumentation
