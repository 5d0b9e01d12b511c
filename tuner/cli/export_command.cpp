// tune export: the best validated configuration with its provenance, for an application to load, or
// as the code itself.
#include <fmt/format.h>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/options.h"
#include "report/exporter.h"
#include "store/study_store.h"
#include "study/model.h"

namespace rooftune::cli {

namespace {

std::string exported(const ExportChoice& choice, const ExportForm& form,
                     const ExportOptions& options) {
  std::string text = form.write(choice.result, flags_of(choice.study.record, choice.result));
  std::error_code ignored;
  const bool there = std::filesystem::is_regular_file(options.output, ignored);
  return form.joined && there ? form.joined(options.output, text) : text;
}

Error unknown_format(const std::string& format) {
  std::vector<std::string> names;
  for (const ExportForm& form : export_formats()) names.push_back(form.name);
  return Error("unknown export format \"" + format + "\"", "--format", did_you_mean(format, names));
}

/// Every trial of the study worked on last, in a form of the field.
int export_record(const ExportForm& form, const RecordFilter& filter,
                  const ExportOptions& options) {
  const StudyRecord study = find_study(std::filesystem::absolute(options.spec.results), filter);
  write_output(options.output.empty() ? "-" : options.output, form.write_record(study));
  if (!options.output.empty() && !is_stdout(options.output))
    fmt::print("wrote {} (study {}, {} trials)\n", options.output, study.header.id,
               study.history.size());
  return 0;
}

void check(ExportChoice& choice, const ExportOptions& options) {
  const auto say = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  for (const std::string& remark : remarks(choice)) say(remark);
  if (choice.result.busy && !options.as_recorded)
    throw Error("the machine was busy, and the study decides nothing: " +
                    fmt::format("{}", fmt::join(choice.result.inconclusive, "; ")),
                choice.study.record.header.kernel,
                "tune it again, or say --as-recorded for its baseline");
  for (const std::string& reason : choice.result.inconclusive) say("not conclusive: " + reason);
  for (const std::string& note : choice.study.record.notes) say("note: " + note);
  if (!options.as_recorded)
    say(fmt::format("study {}: {}", choice.study.record.header.id.substr(0, 8), verified(choice)));
}

int put_back(const std::string& file) {
  const RolledBack back = roll_back(file);
  fmt::print("{} is again the one in use until {}{}\n", back.file.string(), back.until,
             back.withdrawn.empty()
                 ? ""
                 : "; " + back.withdrawn.filename().string() + " is the one in use before");
  return 0;
}

}  // namespace

int export_command(const ExportOptions& options) {
  if (!options.rollback.empty()) return put_back(options.rollback);
  const ExportForm* const form = find_export_form(options.format);
  if (!form) throw unknown_format(options.format);
  const bool folder = form->write_best;
  if (!folder && !options.sizes.empty())
    throw Error("only a library has variants for several sizes", "--sizes", "--format library");
  if (!folder) require_output(options.output);
  if (options.spec.kernel.empty() && options.study.empty())
    throw Error("no kernel given", "--kernel",
                "tune export --kernel NAME --format header, or --study ID");
  const RecordFilter filter = filter_of(options.spec, options.study);
  if (form->write_record) return export_record(*form, filter, options);
  std::vector<ExportChoice> choices =
      options.sizes.empty() ? best_studies(options.spec.results, filter)
                            : best_at_sizes(options.spec.results, filter, options.sizes);
  if (!folder) only(choices);
  // Entries that join those of other machines are starts for studies, tried there: only variants
  // for an application are checked again.
  if (folder || !form->joined)
    for (ExportChoice& choice : choices) check(choice, options);
  if (folder) return form->write_best(choices, options);
  const ExportChoice& choice = choices.front();
  write_output(options.output.empty() ? "-" : options.output, exported(choice, *form, options));
  if (options.output.empty() || is_stdout(options.output)) return 0;
  fmt::print("wrote {} (study {}, {})\n", options.output, choice.study.record.header.id,
             choice.result.best->configuration.key());
  return 0;
}

}  // namespace rooftune::cli
