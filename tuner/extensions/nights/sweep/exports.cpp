// A night's best against what applications load.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/file.h"
#include "core/list.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "sweep/regression.h"

namespace rooftune::sweep {
namespace {

/// A document of a file: the only one, or one of a library's.
struct ExportFile {
  fs::path path;
  std::string text;
  Json json;
};

Paths files_at(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  Paths files;
  // The files loaded by the run-time library, and libraries as they are linked: nothing else there
  // is an export.
  const auto is_library = [](const fs::path& file) {
    return file.filename().string().starts_with("libtuned_") && file.extension() == ".so";
  };
  for (const auto& entry : fs::directory_iterator(place))
    if (entry.is_regular_file() && (entry.path().extension() == ".json" || is_library(entry)))
      files.push_back(entry);
  std::ranges::sort(files);
  return files;
}

std::vector<ExportFile> read_export(const fs::path& path) {
  const std::string text = read_text(path);
  std::vector<ExportFile> files;
  if (is_shared_object(path)) {
    for (const Json& study : library_record(path).studies) files.push_back({path, text, study});
  } else {
    files.push_back({path, text, parse_json(text, path.string())});
  }
  for (const ExportFile& file : files) {
    if (part_of(file.json, "/schema") != export_document)
      throw Error(fmt::format("is no {} document", export_document), path.string(),
                  "tune export --format json writes such files");
    decoded<Configuration>(part_of(file.json, "/configuration"),
                           path.string() + ": /configuration");
  }
  return files;
}

/// All readable ones; the others become faults.
std::vector<ExportFile> read_exports(const Paths& places, Texts& faults) {
  std::vector<ExportFile> files;
  for (const fs::path& place : places) try {
      for (const fs::path& path : files_at(place)) try {
          for (ExportFile& file : read_export(path)) files.push_back(std::move(file));
        } catch (const std::exception& fault) {
          faults.emplace_back(as_error(fault).what());
        }
    } catch (const fs::filesystem_error& fault) {
      faults.push_back(place.string() + ": " + fault.code().message());
    }
  return files;
}

/// The new text takes the file's place, or a new library a shared object's, and the old one stays
/// beside it.
void replace(const ExportWatch& watch, const ExportFile& file, const std::string& text,
             ExportVerdict& verdict) {
  try {
    if (read_text(file.path) != file.text)
      throw Error("was changed while it was raced, and stays as it is", file.path.string());
    if (is_shared_object(file.path)) {
      if (!watch.update_library)
        throw Error("this tune was built without exports of libraries", file.path.string());
      verdict.sentence += "; " + watch.update_library(file.path);
    } else {
      const fs::path kept = replace_export(file.path, text);
      verdict.sentence +=
          "; it is exported now, " + kept.filename().string() + " is the one before";
    }
    verdict.written = read_text(file.path) != file.text;
  } catch (const Error& error) {
    verdict.sentence += fmt::format("; it was not exported: {}", error.what());
  }
}

ExportVerdict raced(const ExportWatch& watch, PreparedStudy& study, const Configuration& best,
                    const ExportFile& file) {
  ExportVerdict verdict;
  verdict.file = file.path.string();
  const Configuration exported =
      decoded<Configuration>(file.json.at("configuration"), verdict.file + ": /configuration");
  if (exported == best) {
    verdict.sentence = "holds tonight's best";
    return verdict;
  }
  verdict.finding = ExportFinding::inconclusive;
  for (const auto& input : study.inputs)
    if (!input->space->allowed(exported)) {
      verdict.sentence = "the search space of tonight does not allow what it holds: " +
                         input->space->why_not(exported) + "; tune export writes it anew";
      return verdict;
    }
  if (watch.log)
    watch.log(fmt::format("{}: raced against {}, which holds another configuration",
                          study.kernel.name, verdict.file));
  verdict = judge_export(duel(study, best, exported, watch.threshold), watch.threshold);
  verdict.file = file.path.string();
  return verdict;
}

}  // namespace

ExportVerdict judge_export(const Duel& race, double threshold) {
  ExportVerdict verdict;
  verdict.finding = ExportFinding::inconclusive;
  verdict.ratio = race.ratio;
  if (!race.ratio) {
    verdict.sentence = "could not be raced: " + race.fault;
    return verdict;
  }
  const Estimate& ratio = *race.ratio;
  verdict.sentence =
      fmt::format("what it holds takes {} of the time of tonight's best in {} rounds",
                  ratio_interval(ratio), race.rounds);
  const Against comparison = compared(ratio, threshold);
  if (comparison == Against::slower) {
    verdict.finding = ExportFinding::better;
  } else if (comparison == Against::unknown) {
    verdict.sentence += ", which tells nothing";
  } else {
    verdict.finding = ExportFinding::no_better;
    verdict.sentence += ": no reason to change it";
  }
  return verdict;
}

std::string sentence_of(const ExportVerdict& verdict) {
  return fs::path(verdict.file).filename().string() + ": " + verdict.sentence;
}

Paths export_places(const std::string& named) {
  const char* const known = std::getenv("ROOFTUNE_EXPORTS");
  std::istringstream list(!named.empty() ? named : known ? known : "");
  Paths places;
  for (std::string place; std::getline(list, place, ':');)
    if (!place.empty()) places.push_back(fs::absolute(place).lexically_normal());
  return places;
}

Texts checked_exports(const ExportWatch& watch) {
  for (const fs::path& place : watch.places) {
    if (!fs::exists(place))
      throw Error("there are no exports", place.string(),
                  "tune export --format json -o " + (place / "KERNEL.json").string() +
                      " writes the first; ROOFTUNE_EXPORTS, --exports or the plan's \"exports\" "
                      "names the place");
    if (watch.update)
      require_writable_target(fs::is_directory(place) ? place / "export.json" : place);
  }
  if (watch.update && watch.places.empty())
    throw Error("nothing says where the exports are", "--update-exports",
                "--exports DIR, \"exports\" in the plan or ROOFTUNE_EXPORTS");
  Texts faults;
  read_exports(watch.places, faults);
  return faults;
}

std::vector<ExportVerdict> held_against_exports(const ExportWatch& watch, PreparedStudy& study,
                                                const Configuration& best,
                                                const std::string& text) {
  const Json tonight = parse_json(text, "tonight's export");
  Texts faults;  // reported by checked_exports()
  std::vector<ExportVerdict> here, elsewhere;
  for (const ExportFile& file : read_exports(watch.places, faults)) {
    if (!same_task(file.json, tonight)) continue;
    if (part_of(file.json, "/machine/id") != part_of(tonight, "/machine/id")) {
      elsewhere.push_back({file.path.string(),
                           ExportFinding::elsewhere,
                           fmt::format("was made on another machine ({}) and is left alone; tune "
                                       "export writes one of this machine beside it",
                                       shown(part_of(file.json, "/machine/name"))),
                           {}});
      continue;
    }
    here.push_back(raced(watch, study, best, file));
    if (watch.update && here.back().finding == ExportFinding::better)
      replace(watch, file, text, here.back());
  }
  return here.empty() ? elsewhere : here;
}

}  // namespace rooftune::sweep
