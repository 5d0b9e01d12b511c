// The exporter of starting points for studies elsewhere: one entry, joined to those of the file.
#include "report/exporter.h"
#include "study/best_known.h"

namespace rooftune::report {

std::string best_known_export(const BestConfiguration& best) {
  if (!best.problems.empty())
    throw Error("a study of several inputs has no one problem to be known for",
                best.identity.kernel, "export a study of one of them");
  if (best.ranked_by == Figure::energy)
    throw Error("this study ranks by energy, and such an entry says what is fastest",
                best.identity.kernel, "export a study of time");
  if (!(best.bound.value() > 0))
    throw Error("this study has no bound, and such an entry says how far from it the best is",
                best.identity.kernel, "state what a run does at least: --work, --traffic");
  KnownBest entry;
  entry.machine = best.machine_class;
  entry.problem = best.problem;
  for (const auto& [name, value] : best.configuration.values())
    if (!best.baseline.has(name) || !(best.baseline.at(name) == value))
      entry.difference.set(name, value);
  entry.seconds = best.seconds.value;
  if (best.speedup) entry.over_baseline = best.speedup->value;
  entry.gap = best.gap.total.value;
  entry.compiler = best.identity.compiler;
  entry.date = best.identity.date;
  entry.version = best.identity.version;
  entry.study = best.identity.id;
  return json_text(to_json(BestKnown{best.identity.kernel, best.identity.backend, {entry}}), 1) +
         '\n';
}

std::string joined_best_known(const std::filesystem::path& before, const std::string& text) {
  BestKnown known = best_known_from_json(read_json(before), before.string());
  const BestKnown more = best_known_from_json(parse_json(text, "export"), "export");
  if (known.kernel != more.kernel || known.backend != more.backend)
    throw Error("this file is of " + known.kernel + ", back end " + known.backend, before.string(),
                "name " + more.kernel + "." + more.backend + ".json");
  for (const KnownBest& entry : more.entries) add(known, entry);
  return json_text(to_json(known), 1) + '\n';
}

}  // namespace rooftune::report
