#include "report/exporter.h"

namespace rooftune::report {

const std::vector<ExporterRow>& exporters() {
  static const std::vector<ExporterRow> rows{
      {"header", "C and C++ header: a macro per knob, a constexpr struct in C++", header_export},
      {"json", "JSON with provenance, for the run-time look-up", json_export},
      {"env", "Lines for a POSIX shell to source", environment_export},
      {"best-known", "Where other studies start; joins the entries of a file that is there",
       best_known_export, joined_best_known},
  };
  return rows;
}

const ExporterRow* find_exporter(const std::string& name) {
  for (const ExporterRow& row : exporters())
    if (name == row.name) return &row;
  return nullptr;
}

}  // namespace rooftune::report
