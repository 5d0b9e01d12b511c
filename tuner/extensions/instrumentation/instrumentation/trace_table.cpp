// The table of a counting artefact, read from its text.
#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "instrumentation/trace.h"

namespace rooftune::instrumentation {
namespace {

std::vector<std::string> split(const std::string& token) {
  std::vector<std::string> parts;
  std::istringstream stream(token);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

template <class List, class Item>
std::size_t position(List& list, const Item& item) {
  const auto found = std::find(list.begin(), list.end(), item);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(item);
  return list.size() - 1;
}

int part_number(const std::vector<std::string>& parts, std::size_t at) {
  if (at >= parts.size()) throw Error("lacks a number");
  std::size_t used = 0;
  int value = -1;
  try {
    value = std::stoi(parts[at], &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != parts[at].size() || value < 0)
    throw Error("\"" + excerpt(parts[at]) + "\" is no number");
  return value;
}

TraceStep access(const std::vector<std::string>& parts) {
  TraceStep step;
  const std::string& word = parts[0];
  step.kind = word.starts_with("ld")   ? TraceStep::Kind::load
              : word.starts_with("st") ? TraceStep::Kind::store
              : word == "nt"           ? TraceStep::Kind::streamed
                                       : TraceStep::Kind::prefetch;
  step.bytes = part_number(parts, 1);
  step.masked = word.size() == 3;
  step.compressed = word.back() == 'c';
  if (!step.masked) return step;
  step.element = part_number(parts, 2);
  if (step.element == 0) throw Error("elements of no bytes");
  step.lanes = step.bytes / step.element;
  return step;
}

TraceStep indexed(const std::vector<std::string>& parts) {
  TraceStep step;
  step.kind = parts[0] == "ga" ? TraceStep::Kind::gather : TraceStep::Kind::scatter;
  step.element = part_number(parts, 1);
  step.lanes = part_number(parts, 2);
  step.scale = part_number(parts, 3);
  step.index_bytes = part_number(parts, 4);
  step.index_words = part_number(parts, 5);
  if (step.lanes * step.index_bytes > 8 * step.index_words) throw Error("more lanes than indices");
  return step;
}

void take(TraceTable& table, TraceBlock& block, const std::string& token) {
  const std::vector<std::string> parts = split(token);
  const std::string word = parts.empty() ? "" : parts[0];
  static const std::vector<std::string> accesses{"ld",  "st",  "nt",  "pf",
                                                 "ldm", "stm", "ldc", "stc"};
  if (word == "in") {
    block.instructions = static_cast<std::uint64_t>(part_number(parts, 1));
  } else if (word == "call" && parts.size() > 1) {
    block.calls.push_back(position(table.calls, token.substr(5)));
  } else if (word == "un" && parts.size() > 1) {
    block.unknown.push_back(position(table.unknown, token.substr(3)));
  } else if (word == "copy" || word == "fill") {
    TraceStep step;
    step.kind = word == "copy" ? TraceStep::Kind::copy : TraceStep::Kind::fill;
    block.steps.push_back(step);
    block.words += word == "copy" ? 3 : 2;
  } else if ((word == "op" || word == "opm") && parts.size() == 4) {
    const std::size_t kind = position(table.operations, std::pair(parts[1], parts[2]));
    const int lanes = part_number(parts, 3);
    if (word == "op") {
      block.operations.emplace_back(kind, static_cast<std::uint64_t>(lanes));
      return;
    }
    TraceStep step;
    step.kind = TraceStep::Kind::operation;
    step.operation = kind;
    step.lanes = lanes;
    block.steps.push_back(step);
    ++block.words;
  } else if (word == "ga" || word == "sc") {
    block.steps.push_back(indexed(parts));
    block.words += 2 + static_cast<std::size_t>(block.steps.back().index_words);
  } else if (std::find(accesses.begin(), accesses.end(), word) != accesses.end()) {
    block.steps.push_back(access(parts));
    block.words += block.steps.back().masked ? 2 : 1;
  } else {
    throw Error("unknown token \"" + excerpt(token) + "\"");
  }
}

}  // namespace

TraceTable trace_table(const std::string& text) {
  TraceTable table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream tokens(line);
    std::string token;
    const std::string where = "trace table, block " + std::to_string(table.blocks.size());
    // Blocks without instructions have numbers, too, but no line.
    if (!(tokens >> token)) throw Error("an empty line", where);
    const std::vector<std::string> digits{token};
    try {
      const auto id = static_cast<std::size_t>(part_number(digits, 0));
      if (id < table.blocks.size() || id > table.blocks.size() + 1000000)
        throw Error("is out of order");
      table.blocks.resize(id + 1);
      while (tokens >> token) take(table, table.blocks.back(), token);
    } catch (const Error& error) {
      throw Error(error.message(), where);
    }
  }
  return table;
}

}  // namespace rooftune::instrumentation
