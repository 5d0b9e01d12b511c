#include "report/exporter.h"

namespace rooftune::inline report {

const std::vector<ExporterRow>& exporters() {
  static const std::vector<ExporterRow> rows{
      {"header", "C and C++ header: a macro per knob, a constexpr struct in C++", header_export},
      {"json", "JSON with provenance, for the run-time look-up", json_export},
  };
  return rows;
}

const ExporterRow& find_exporter(const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const ExporterRow& row : exporters()) {
    if (name == row.name) return row;
    names.emplace_back(row.name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const std::string near = nearest_word(name, names);
  throw Error("unknown export format \"" + name + "\"", "--format",
              near.empty() ? "one of " + all : "did you mean \"" + near + "\"? There are: " + all);
}

}  // namespace rooftune::inline report
