// A whole program that is tuned where it stands, with its own build: how to run it, what tells its
// time, and what it does at least.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "space/knob.h"

namespace rooftune::kernel {

struct Kernel;

/// As the user wrote it; {NAME} stands for the value of a knob or of a problem parameter.
struct Program {
  std::string name;     ///< of the study; empty: that of the program's file
  std::string command;  ///< split into words as a shell does, never run by one
  std::string build;    ///< run once for each combination of the knobs that it names; may be empty
  std::map<std::string, std::string> environment;  ///< of each run: variable, text
  std::string metric = "wall";                     ///< wall, regex:PATTERN or json:/POINTER
  std::string unit = "s";                          ///< of the metric; see metric_unit()
  std::string check;                               ///< regex:PATTERN, command:COMMAND or empty
  double run_seconds = 0;                          ///< most time of one run; 0: the usual one
  std::filesystem::path space;
  std::map<std::string, std::string> work;     ///< least flops of one run, by precision
  std::map<std::string, std::string> traffic;  ///< read, write, footprint: least bytes of one run
  /// What a copy of the folder for a build leaves out.
  std::vector<std::filesystem::path> left_out;

  /// A limit can be computed: its work or its traffic is stated.
  bool states_limit() const { return !work.empty() || !traffic.empty(); }
};

/// Adds work and traffic that the space file states and the user did not. Throws Error where the
/// file cannot be read.
void add_stated(Program& program);

/// A kernel without sources that stands for the program; `problem` are its parameters. Throws Error
/// naming the option: a command without words, a name that cannot be one, a formula that cannot be
/// read or names what is no parameter, an unknown precision or unit.
Kernel program_kernel(const Program& program, const Facts& problem);

/// What a figure of the program is.
struct MetricUnit {
  enum class Kind { time, runs, bytes, flops };
  Kind kind = Kind::time;
  double factor = 1;  ///< from the unit to base units
  bool is_rate() const { return kind != Kind::time; }
};
/// s ms us ns min h; 1/s; B/s and FLOP/s with their prefixes. Throws Error with those there are.
MetricUnit metric_unit(const std::string& unit);
/// What a run does in the unit of a rate: 1, its least bytes or flops, or 1e9 of them where they
/// are not stated, so that the time is that of a gigabyte or of a billion operations.
double metric_amount(const Kernel& kernel, const Facts& problem);

}  // namespace rooftune::kernel
