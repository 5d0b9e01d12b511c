// --output FORMAT=FILE: sweep results in other programs' formats.
#include "night_commands/sweep_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "core/file.h"
#include "core/list.h"
#include "sweep/formats.h"

namespace rooftune::night_commands {
namespace {

bool is_word(const std::string& text) {
  return !text.empty() && all_of(text, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); });
}

/// The page that `tune` wrote for the study, if the last night left one.
fs::path study_page_of(const Series& series) {
  const Night& night = series.nights.back();
  const std::string name = fmt::format("{}.{}.{}.html", series.kernel, series.backend, night.study);
  if (night.study.empty() || contains(name, '/')) return {};
  // results/sweeps/<plan>/<run>
  const auto results = night.run.parent_path().parent_path().parent_path();
  const auto page = results / "reports" / name;
  return fs::is_regular_file(page) ? page : fs::path();
}

/// Study pages are copied, so the folder may be moved or published as it is.
void write_site(const SweepHistory& history, const fs::path& site) {
  folder_below(site, series_folder);
  TextSet studies;
  for (const Series& series : history.series) {
    const auto page = study_page_of(series);
    if (page.empty()) continue;
    folder_below(site, studies_folder);
    write_atomically(site / studies_folder / (series.key + ".html"), read_text(page));
    studies.insert(series.key);
  }
  for (const auto& [name, text] : sweep_site(history, studies, utc_now()))
    write_atomically(site / name, text);
}

}  // namespace

SweepOutputs sweep_outputs(const Texts& words) {
  SweepOutputs outputs;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const bool has_format = equals != std::string::npos && is_word(word.substr(0, equals));
    SweepOutput output{SweepFormat::html, has_format ? word.substr(equals + 1) : word};
    if (has_format)
      output.format = enumerator<SweepFormat>("format of a sweep", word.substr(0, equals));
    if (output.file.empty())
      throw Error("names no file", "--output " + word, "--output html=site, junit=junit.xml");
    if (output.format == SweepFormat::html)
      make_folders(output.file);
    else
      require_output(output.file);
    outputs.push_back(output);
  }
  return outputs;
}

void write_sweep_outputs(const SweepOutputs& outputs, const fs::path& folder,
                         const NightList& missing) {
  const SweepHistory history = read_history(folder, missing);
  for (const std::string& fault : history.faults) fmt::print(stderr, "warning: {}\n", fault);
  // In the order of SweepFormat.
  constexpr std::string (*texts[])(const SweepHistory&) = {nullptr, junit_format,
                                                           series_json_format, github_format};
  for (const SweepOutput& output : outputs)
    if (const auto text = texts[size_t(output.format)])
      write_output(output.file, text(history));
    else
      write_site(history, output.file);
}

int report_sweeps(const ReportOptions& options, const std::string& folder) {
  Texts words = options.outputs;
  if (words.empty())
    words.push_back(
        folder_below(fs::absolute(results_directory(options.results)), "reports/sweeps").string());
  const auto outputs = sweep_outputs(words);
  write_sweep_outputs(outputs, folder);
  for (const SweepOutput& output : outputs)
    if (!is_stdout(output.file)) fmt::print(stderr, "{}: {}\n", word(output.format), output.file);
  return 0;
}

}  // namespace rooftune::night_commands
