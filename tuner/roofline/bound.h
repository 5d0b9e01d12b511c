// The least work and traffic of a problem, and the time that no variant can beat on a machine.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune {

/// Least (algorithmic) floating-point operations per precision: {"fp64": flops}.
struct Work {
  std::map<std::string, Flops> least;
  Flops nominal{0};  ///< fixed formula shown to people as flop/s
  double items = 0;  ///< updates, cells, ...
  std::string item;  ///< singular: "update"
};

/// A locality wall: the traffic that a variant moves which lacks one optimisation.
struct Wall {
  std::string name;    ///< "write allocate", "no reuse between steps", "CSR 32-bit indices"
  std::string breaks;  ///< paradigm that removes it: compulsory write_allocate capacity conflict
  std::string level;   ///< "DRAM", or empty: the outermost level that moves data
  Bytes read{0}, write{0};
};

/// Least (compulsory) traffic of one call, and the data it touches.
struct Traffic {
  Bytes read{0}, write{0};  ///< each distinct byte once
  Bytes footprint{0};       ///< distinct bytes touched
  bool warm = true;         ///< data of the last repetition may still be in the caches
  std::vector<Wall> walls;
  /// Some bytes are read and written: such lines need no second stream and no write allocate.
  bool in_place() const;
};

/// Bytes that must cross the boundary outside a cache of `inner_capacity`: with warm data at most
/// that many read and that many dirty bytes can be saved, so least = max(0, R-C) + max(0, W-C).
struct LevelTraffic {
  Bytes read{0}, write{0};
  Bytes total() const { return read + write; }
};
LevelTraffic least_traffic(const Traffic& traffic, const Machine& machine,
                           const std::string& level);
/// The same when at most `threads` threads run: of private caches, only that many instances count.
LevelTraffic least_traffic(const Traffic& traffic, const Machine& machine, const std::string& level,
                           int threads);

/// One ceiling applied to the problem: least work or traffic over its rate.
struct CeilingTime {
  std::string ceiling;
  std::string level;        ///< or precision
  Seconds time, low, high;  ///< low from the ceiling's high rate
};

/// The maximum over ceilings of work / rate: the time no variant can beat.
struct Bound {
  Seconds time, low, high;
  std::string ceiling;            ///< binding ceiling's name
  std::vector<std::string> also;  ///< ceilings within the interval of the binding one
  Source source;
  std::vector<CeilingTime> parts;  ///< one per level and precision: its best ceiling
  /// Work and traffic that no stable ceiling covers ("fp32 work", "L3 traffic"): the bound leaves
  /// it out.
  std::vector<std::string> missing;
};

/// `threads`: the most that any variant of the study may use. Per level the rate is the faster of
/// the two measured load:store mixes that bracket the problem's (an over-estimate of the rate, so
/// the bound stays a lower bound). Throws Error when the machine has no stable ceiling that
/// applies.
Bound bound(const Work& work, const Traffic& traffic, const Machine& machine, int threads);

/// The time the problem takes at one particular ceiling; nullopt when it does not apply (other
/// level, no work of that precision, no traffic at that level).
std::optional<CeilingTime> time_at(const Ceiling& ceiling, const Work& work, const Traffic& traffic,
                                   const Machine& machine);
/// The same when at most `threads` threads run (see least_traffic).
std::optional<CeilingTime> time_at(const Ceiling& ceiling, const Work& work, const Traffic& traffic,
                                   const Machine& machine, int threads);

}  // namespace rooftune
