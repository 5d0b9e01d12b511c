#include "kernel/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/json.h"
#include "core/list.h"
#include "core/object_reader.h"
#include "core/text.h"
#include "core/units.h"
#include "kernel/manifest_reader.h"

namespace rooftune::kernel {
namespace {

using Kind = MetricUnit::Kind;

constexpr double unstated_amount = 1e9;

Expression formula(const std::string& text, const std::string& where, const Facts& problem) {
  const Expression expression = located(where, [&] { return Expression::parse(text); });
  for (const std::string& name : expression.names())
    if (!problem.contains(name))
      throw Error(fmt::format("\"{}\" names \"{}\", which is no problem parameter", text, name),
                  where, fmt::format("say what it is: --problem {}=1000", name));
  return expression;
}

void add_work(Kernel& kernel, const Program& program, const Facts& problem) {
  std::string sum;
  for (const auto& [precision, text] : program.work) {
    if (!contains(least_precisions(), precision))
      throw Error(fmt::format("unknown precision \"{}\"", precision), "--work",
                  did_you_mean(precision, least_precisions()));
    kernel.least_work[precision] = formula(text, "--work " + precision, problem);
    if (!is_of_integers(precision)) join(sum, "(" + text + ")", " + ");
  }
  if (!sum.empty()) kernel.nominal_flops = Expression::parse(sum);
}

void add_traffic(Kernel& kernel, const Program& program, const Facts& problem) {
  static const Texts members = {"read", "write", "footprint"};
  for (const auto& [member, text] : program.traffic)
    if (!contains(members, member))
      throw Error(fmt::format("unknown word \"{}\"", member), "--traffic",
                  did_you_mean(member, members));
  const auto stated = [&](const char* member, const std::string& otherwise) {
    return formula(copy_at(program.traffic, member).value_or(otherwise),
                   std::string("--traffic ") + member, problem);
  };
  kernel.read = stated("read", "0");
  kernel.write = stated("write", "0");
  kernel.footprint =
      stated("footprint", fmt::format("({}) + ({})", kernel.read.text(), kernel.write.text()));
}

/// A number where the word is one (1e6 is whole, 1.0 is not meant so); any other word stands as it
/// is.
Parameter parameter(const std::string& name, const Value& chosen) {
  Value value = chosen.is_text() ? parse_value(chosen.text()) : chosen;
  if (value.is_real() && value.real() == std::floor(value.real()) && chosen.is_text() &&
      !contains(chosen.text(), '.'))
    value = Value(int64_t{0});
  Parameter result;
  result.name = name;
  result.type = value.is_real()      ? Parameter::Type::real
                : value.is_integer() ? Parameter::Type::integer
                                     : Parameter::Type::text;
  result.required = true;
  return result;
}

/// Pairs: our unit, then a program's spelling; longer spellings come first.
constexpr const char* time_spellings =
    "s sec s secs s second s seconds ms msec ms milliseconds us usec us \u00b5s us microseconds "
    "ns nsec ns nanoseconds min minutes h hours";
constexpr const char* rate_ends =
    "B/s Bytes/sec B/s Byte/sec B/s Bytes/s B/s Byte/s B/s B/sec FLOP/s FLOPS/s FLOP/s Flops/s "
    "FLOP/s flops/s FLOP/s FLOP/sec FLOP/s FLOPS FLOP/s FLOPs FLOP/s Flops FLOP/s flops";

std::string usual_spelling(const std::string& unit) {
  std::istringstream times(time_spellings), ends(rate_ends);
  for (std::string ours, theirs; times >> ours >> theirs;)
    if (unit == theirs) return ours;
  for (std::string ours, theirs; ends >> ours >> theirs;)
    if (unit.ends_with(theirs)) return unit.substr(0, unit.size() - theirs.size()) + ours;
  return unit;
}

}  // namespace

void from_text(const std::string& text, RunLimit& limit) {
  limit.seconds = parse_duration(text).value();
  if (!(limit.seconds > 0)) throw Error("must be above 0", {}, "for example 30s");
}

// The name becomes part of file names.
std::string Program::study_name() const {
  if (!name.empty()) {
    if (!is_name(name))
      throw Error(fmt::format("\"{}\" is no name for a study", name), "--name",
                  "letters, digits, _ and -");
    return name;
  }
  // The first word; quotes are not part of a name.
  const size_t begin = std::min(command.find_first_not_of(" \t\n\"'"), command.size());
  const size_t end = std::min(command.find_first_of(" \t\n\"'", begin), command.size());
  std::string stem = fs::path(command.substr(begin, end - begin)).stem().string();
  for (char& c : stem)
    if (!is_name_char(c)) c = '_';
  stem.erase(0, stem.find_first_not_of("_-"));
  return stem.empty() ? "command" : stem;
}

void add_stated(Program& program) {
  const Json space = read_json(program.space);
  Faults faults;
  ObjectReader reader(space, program.space.string(), faults);
  const auto add = [&](const char* member, NamedTexts& formulas) {
    NamedTexts stated;
    reader.object(member, [&](ObjectReader& object) {
      for (const auto& [name, ignored] : object.json().items())
        stated[name] = object.formula(name, "0");
    });
    // Formulas on the command line replace all those in the file.
    if (formulas.empty()) formulas = std::move(stated);
  };
  add("work", program.work);
  add("traffic", program.traffic);
  faults.raise();
}

MetricUnit metric_unit(const std::string& typed) {
  const std::string unit = usual_spelling(typed);
  if (unit == "1/s") return {Kind::runs, 1, true};
  if (is_among(unit, "s ms us ns min h")) return {Kind::time, parse_duration("1" + unit).value()};
  try {
    return {Kind::bytes, byte_rate_unit(unit), true};
  } catch (const Error&) {
    // Perhaps the rate counts operations.
  }
  try {
    return {Kind::flops, flop_rate_unit(unit), true};
  } catch (const Error&) {
    throw Error(fmt::format("unknown unit \"{}\"", excerpt(typed)), "--metric-unit",
                "s, ms, us, ns, min, h; of rates 1/s, GB/s (MB/s, GiB/s, ...), GFLOP/s (MFLOP/s, "
                "...); any other with its direction: --metric 'max:regex:...' or 'min:regex:...'");
  }
}

MetricWords metric_words(const std::string& metric) {
  for (const bool more : {true, false})
    if (const std::string_view prefix = more ? "max:" : "min:"; metric.starts_with(prefix))
      return {more, metric.substr(prefix.size())};
  return {std::nullopt, metric};
}

MetricUnit metric_unit(const Program& program) {
  const std::optional<bool> more = metric_words(program.metric).more;
  if (!more) return metric_unit(program.unit);
  MetricUnit unit{Kind::named, 1, *more};
  try {
    const MetricUnit known = metric_unit(program.unit);
    if (known.more == *more) unit = known;
  } catch (const Error&) {
    // The user's own name for a unit.
  }
  return unit;
}

double metric_amount(const Kernel& kernel, const Facts& problem) {
  switch (metric_unit(*kernel.program).kind) {
    case Kind::bytes: {
      const Traffic moved = traffic(kernel, problem);
      const double bytes = (moved.read + moved.write).value();
      return bytes > 0 ? bytes : unstated_amount;
    }
    case Kind::flops:
      return work(kernel, problem).nominal.value();
    case Kind::time:
    case Kind::runs:
    case Kind::named:
      break;
  }
  return 1;
}

Kernel program_kernel(const Program& program, const Facts& problem) {
  if (is_only_of(program.command, " \t\n"))
    throw Error("is empty", "--command", "--command './app --block {BLOCK}'");
  Kernel kernel;
  kernel.name = program.study_name();
  kernel.title = program.command;
  for (const auto& [name, value] : problem) kernel.parameters.push_back(parameter(name, value));
  add_work(kernel, program, problem);
  add_traffic(kernel, program, problem);
  const MetricUnit unit = metric_unit(program);
  if (unit.kind == Kind::named && program.states_limit())
    throw Error(
        "a bound is one of time, and the metric is none", "--metric",
        "leave out --work and --traffic, also those of the space, or take a time or a rate");
  if (unit.kind == Kind::flops && kernel.nominal_flops.empty())
    kernel.nominal_flops = Expression::parse("1e9");
  if (unit.kind == Kind::bytes && program.traffic.empty()) {
    kernel.items = Expression::parse("1e9");
    kernel.item = "B";
  }
  // A process begins with cold caches, as far as its own data are concerned.
  kernel.warm = false;
  Backend backend;
  backend.name = command_backend;
  kernel.backends.push_back(std::move(backend));
  kernel.program = program;
  return kernel;
}

}  // namespace rooftune::kernel
