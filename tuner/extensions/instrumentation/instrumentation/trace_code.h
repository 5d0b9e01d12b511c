// Assembly for appending one word to the trace of the running thread. Registers, flags and stack
// stay unchanged.
#pragma once
#include <optional>
#include <string>

#include "instrumentation/module.h"

namespace rooftune::instrumentation {

/// Two registers unused by a block: the end of its words, and one to compute addresses in.
struct FreeRegisters {
  std::string end, scratch;
};

/// The code of one block. With registers of its own a word takes two instructions, else ten.
class TraceCode {
 public:
  explicit TraceCode(std::optional<FreeRegisters> free) : free_(std::move(free)) {}
  /// Before a block of `words` words: makes room, writes the number of the block.
  std::string header(std::size_t number, std::size_t words) const;
  /// Before control leaves the block.
  std::string footer() const;
  /// The address of a memory operand, `bytes_back` before the end of the block's words.
  std::string address(const std::string& operand, std::size_t bytes_back) const;
  /// The active lanes of a mask register, or the sign bits of a vector of `element`-byte lanes.
  std::string mask(const std::string& mask, int lanes, int element, std::size_t bytes_back) const;
  /// All of a vector register.
  std::string vector(const std::string& name, std::size_t bytes_back) const;

 private:
  std::string stacked_header(std::size_t number, std::size_t bytes) const;
  std::string free_header(std::size_t number, std::size_t bytes) const;
  /// Code that computes a word and stores it.
  std::string word(const std::string& compute, const char* move, const std::string& value,
                   std::size_t bytes_back) const;

  std::optional<FreeRegisters> free_;
};

/// Definitions once per file: the cursor of each thread, refill, hook, and a spare buffer for the
/// largest block, used while there is no hook.
std::string trace_runtime(std::size_t most_words);
/// Untouched bytes below the stack pointer: leaf functions keep variables there.
inline constexpr int red_zone = 128;

}  // namespace rooftune::instrumentation
