// The assembly that is the same in every counting artefact.
#include <fmt/format.h>

#include "instrumentation/weaving.h"

namespace rooftune::instrumentation {

std::string trace_runtime(size_t most_words) {
  // rax: flags, kept; rcx: the cursor's offset, kept; rdx: bytes wanted, then where they end. xsave
  // (0xe7) protects the x87, SSE, AVX and AVX-512 state from the hook. Constructors run before
  // anyone could set the hook: each of their blocks goes to the spare. The cursor holds the
  // buffer's next and end.
  return fmt::format(R"(	.text
	.p2align 4
	.type	rt_count_refill, @function
rt_count_refill:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
	subq	$4096, %rsp
	andq	$-64, %rsp
	movq	%fs:0, %rdi
	addq	%rcx, %rdi
	movq	%rdi, %rbx
	movq	%rdx, %rsi
	xorl	%eax, %eax
	movq	%rax, 512(%rsp)
	movq	%rax, 520(%rsp)
	movq	%rax, 528(%rsp)
	movq	%rax, 536(%rsp)
	movq	%rax, 544(%rsp)
	movq	%rax, 552(%rsp)
	movq	%rax, 560(%rsp)
	movq	%rax, 568(%rsp)
	movl	$0xe7, %eax
	xorl	%edx, %edx
	xsave64	(%rsp)
	movq	{0}@GOTPCREL(%rip), %rax
	movq	(%rax), %rax
	testq	%rax, %rax
	je	.Lrt_count_spare
	call	*%rax
	jmp	.Lrt_count_filled
.Lrt_count_spare:
	leaq	rt_count_spare(%rip), %rax
	movq	%rax, (%rbx)
	addq	-24(%rbp), %rax
	movq	%rax, 8(%rbx)
.Lrt_count_filled:
	movl	$0xe7, %eax
	xorl	%edx, %edx
	xrstor64	(%rsp)
	movq	(%rbx), %rax
	addq	%rax, -24(%rbp)
	leaq	-80(%rbp), %rsp
	popq	%rbx
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	ret
	.size	rt_count_refill, .-rt_count_refill
	.section	.tbss,"awT",@nobits
	.align 16
	.type	rt_count_cursor, @object
	.size	rt_count_cursor, 16
rt_count_cursor:
	.zero	16
	.bss
	.align 8
	.globl	{0}
	.type	{0}, @object
	.size	{0}, 8
{0}:
	.zero	8
	.align 64
	.local	rt_count_spare
	.type	rt_count_spare, @object
rt_count_spare:
	.zero	{1}
)",
                     trace_hook_symbol, 8 * most_words);
}

}  // namespace rooftune::instrumentation
