// The rate no variant exceeds for some work or traffic, chosen from a machine's measured ceilings.
// Every rule errs towards a faster rate, so times computed from it stay lower bounds.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {

/// How many bits an operand has: 32 for "fp32" and "int32"; 64 where the name has no number.
int element_bits(const std::string& precision);

/// The most threads that any ceiling has; at least 1.
int most_threads(const Machine& machine);

/// One precision's ceilings that a study with at most `threads` threads can reach: those with no
/// more threads than the smallest measured count >= `threads` (a rate for more threads
/// over-estimates). Empty when only fewer threads were measured, unless they are the whole machine.
Ceilings in_core_ceilings(const Machine& machine, const std::string& precision, int threads);

/// Likewise one level's bandwidth ceilings, whatever their mix and stride.
Ceilings bandwidth_ceilings(const Machine& machine, const std::string& level, int threads);

/// Those whose thread count is nearest to `threads`, from below when two are as near.
Ceilings with_threads(const Ceilings& ceilings, int threads);

/// The streaming ceilings (no random access, stride <= 8 B). Updates count only for a problem in
/// place: the line just read is written without a second stream, impossible for a copy between
/// arrays.
Ceilings streams(const Ceilings& ceilings, bool in_place);

/// The streams whose mix brackets the share of bytes read: the nearest measured mix from below and
/// from above, or the equal one; theoretical peaks (mix "peak") bracket every share. With updates
/// among them, also the nearest among updates, pure loads and pure stores: a problem in place may
/// be any mixture of these.
Ceilings bracketing(const Ceilings& streams, double share);

/// nullptr for none; equal rates: the first.
const Ceiling* fastest(const Ceilings& ceilings);

/// Least time to move `traffic` across one level, given the level's streams; nullopt without
/// streams or traffic. The largest of these times: everything at its fastest possible mix, and each
/// part of the reads and writes that has a measured mix, since reading R bytes takes no less when W
/// are written beside. A part takes the fastest rate measured for its mix or demonstrated by
/// another (a copy at 20 GB/s shows 10 GB/s of reads). No rate is interpolated: simultaneous reads
/// and writes are faster between two mixes than at either. Thus it grows with every amount and
/// falls with every rate. `one_way`: reads and writes share one bus (Machine::is_one_way), so no
/// mixture moves more than 5 % over the fastest stream.
std::optional<CeilingTime> stream_time(const Ceilings& ceilings, const LevelTraffic& traffic,
                                       bool one_way);

/// Least time for so many operations of each kind: each at its fastest rate in any instruction mix,
/// the slowest counts. nullopt where no ceiling covers them.
std::optional<CeilingTime> operations_time(const Ceilings& ceilings,
                                           const NamedNumbers& operations);

/// The least time in which any of the ceilings' micro-kernels does as much: reads and writes as
/// many bytes, or does as many operations of each kind. nullopt where none does.
std::optional<CeilingTime> seen_time(const Ceilings& ceilings, const LevelTraffic& traffic);
std::optional<CeilingTime> seen_time(const Ceilings& ceilings, const NamedNumbers& operations);

/// An amount (flops or bytes) at a ceiling's rate.
CeilingTime time_of(double amount, const Ceiling& ceiling);

}  // namespace rooftune::roofline
