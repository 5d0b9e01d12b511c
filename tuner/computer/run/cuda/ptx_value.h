// Registers as numbers, and what instructions make of them. Reals of 32 bits fill the lower half of
// a register.
#pragma once
#include "run/cuda/ptx_code.h"

namespace rooftune::run::ptx {

/// A register's lower bits, with their sign where the type has one.
std::uint64_t whole(std::uint64_t bits, const Type& type);
/// The result of an instruction with up to three operands.
std::uint64_t result(const Instruction& one, std::uint64_t a, std::uint64_t b, std::uint64_t c);
std::uint64_t converted(const Instruction& one, std::uint64_t bits);
/// The comparison of setp, before it is joined with another.
bool holds(const Instruction& one, std::uint64_t a, std::uint64_t b);

}  // namespace rooftune::run::ptx
