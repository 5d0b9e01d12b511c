// Loops for the widest registers that a machine has.
#pragma once

/// Compiles a function for several instruction sets; the program picks one as it starts. Not for
/// sums side by side, whose result depends on the width, and only in files without contraction
/// (-ffp-contract=off): every machine must come to the same numbers. Not in sanitised programs,
/// where functions are chosen before the sanitizer has begun.
#if !defined(__x86_64__) || !defined(__GNUC__) || defined(__clang__) || \
    defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROOFTUNE_WIDE
#elif __GNUC__ < 12  // cannot choose by an x86-64 level
#define ROOFTUNE_WIDE [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define ROOFTUNE_WIDE [[gnu::target_clones("arch=x86-64-v4", "avx2", "default")]]
#endif
