// Assembly that appends one word to the trace of the running thread, leaving registers, flags and
// stack as they were.
#pragma once
#include <string>

namespace rooftune::inline build {

/// Before a block of `words` words: makes room, writes the number of the block.
std::string block_header(std::size_t number, std::size_t words);
/// The address of a memory operand, `bytes_back` before the end of the block's words.
std::string address_word(const std::string& operand, std::size_t bytes_back);
/// The active lanes of a mask register, or the sign bits of a vector of `element`-byte lanes.
std::string mask_word(const std::string& mask, int lanes, int element, std::size_t bytes_back);
/// All of a vector register.
std::string vector_words(const std::string& name, std::size_t bytes_back);
/// What is defined once per file: the cursor of each thread, refill, hook, and a spare buffer for
/// the largest block, used while there is no hook.
std::string trace_runtime(std::size_t most_words);
/// Bytes that are left alone below the stack pointer: leaf functions keep variables there.
inline constexpr int red_zone = 128;

}  // namespace rooftune::inline build
