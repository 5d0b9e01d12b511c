// The page of trials that another tuner recorded: the fastest, the knobs, the times, all trials.
#include "core/version.h"
#include "report/page.h"
#include "report/study_resources.h"

namespace rooftune::report {
namespace {

constexpr PageExtras recorded_extras{{study_style, study_style_hash},
                                     {study_script, study_script_hash}};

/// The part of a study's view that stands for a recording: no study answers for it, and no command
/// runs it again.
Json recorded_view(const RecordedTrials& recorded) {
  Json view = study_view(recorded.result);
  Json result{{"recording", recorded.file}, {"headline", recorded.headline}};
  for (const char* member :
       {"kernel", "problem", "machine", "best", "baseline", "bound", "ties", "path", "cost"})
    result[member] = view["result"][member];
  view["result"] = result;
  view["commands"] = Json::object();
  return view;
}

}  // namespace

std::string recorded_page(const RecordedTrials& recorded, const std::string& date) {
  const StudyResult& result = recorded.result;
  Markup page;
  html_begin(page, result.identity.title, recorded_extras);
  html_paragraph(page, "recorded by another tuner: " + recorded.file, "kicker");
  page.element("h1", {}, recorded.headline).newline();
  page.open("dl", {{"class", "answer"}});
  for (const auto& [about, text] : recorded.facts)
    page.element("dt", {}, about).element("dd", {}, text).newline();
  page.close().newline();
  page.open("div", {{"id", "tools"}, {"class", "buttons"}}).text("").close().newline();
  trials_sections(page, result, "Time of every trial");
  page.open("script", {{"type", "application/json"}, {"id", "data"}})
      .raw(embedded(recorded_view(recorded)))
      .close()
      .newline();
  return html_end(page, version, date, recorded_extras);
}

}  // namespace rooftune::report
