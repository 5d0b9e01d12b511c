// What a PTX instruction computes from its operands, and what it costs.
#pragma once
#include <cstdint>
#include <string>

#include "run/cuda/ptx_code.h"

namespace rooftune::run::ptx {

/// nullptr: unknown.
const Operation* operation(const std::string& word);
/// Fills in cost and latency. `is_fast`: an approximation.
void weigh(Instruction& one, bool is_fast);

/// The lower bits of a register, with their sign where the type has one. 32-bit reals fill the
/// lower half of a register.
uint64_t whole(uint64_t bits, const Type& type);
/// The result for an instruction with up to three operands.
uint64_t result(const Instruction& one, uint64_t a, uint64_t b, uint64_t c);
uint64_t converted(const Instruction& one, uint64_t bits);
/// The comparison that setp makes, before it is joined with another.
bool holds(const Instruction& one, uint64_t a, uint64_t b);

}  // namespace rooftune::run::ptx
