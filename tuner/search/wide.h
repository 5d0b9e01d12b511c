// A loop that is compiled for wide registers too, where the compiler can choose when a program
// starts. Not for sums side by side, whose results depend on the width.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ROOFTUNE_WIDE [[gnu::target_clones("avx2", "default")]]
#else
#define ROOFTUNE_WIDE
#endif
