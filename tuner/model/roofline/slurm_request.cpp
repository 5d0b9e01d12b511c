#include "roofline/slurm_request.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::roofline {
namespace {

/// Options that the launcher sets itself, that could hide its jobs from it, or that could run other
/// code: from another folder or a container.
constexpr std::array kept{"--array",     "-a",          "--job-name", "-J",         "--output",
                          "-o",          "--error",     "-e",         "--parsable", "--wait",
                          "-W",          "--wrap",      "--chdir",    "--signal",   "--requeue",
                          "--test-only", "--container", "-D"};

/// A job's variables can load code: --export=ALL,LD_PRELOAD=x.so; --export=NONE sets none.
bool sets_variables(const std::string& option) {
  return option.starts_with("--export-") ||
         (option.starts_with("--e") && std::ranges::count(option, '=') > 1);
}

bool is_kept(const std::string& option) {
  const std::string name = text_before(option, '=');
  for (const std::string_view each : kept)
    // sbatch takes a long name's beginning for the name.
    if ((name.size() > 1 && each.starts_with(name)) ||
        (each.size() == 2 && option.starts_with(each) && option[1] != '-'))
      return true;
  return false;
}

}  // namespace

Texts SlurmRequest::words() const {
  SlurmRequest named = *this;
  named.options.clear();
  const Json json = encode(named);
  Texts words;
  for (const auto& [name, text] : json.items())
    words.push_back("--" + name + "=" + text.get<std::string>());
  append(words, options);
  return words;
}

void SlurmRequest::check(const SlurmRequest& request, const Place& place) {
  const Place list = place.member("options");
  for (const size_t i : indices(request.options)) {
    const std::string& option = request.options[i];
    if (!option.starts_with('-'))
      list.element(i).fault("\"" + option + "\" is no option of sbatch",
                            "one text for an option and its value: \"--qos=night\"");
    else if (is_kept(option))
      list.element(i).fault("\"" + option + "\" is set by the launcher", "leave it out");
    else if (sets_variables(option))
      list.element(i).fault("\"" + option + "\" sets variables, which can load code into the jobs",
                            "set them where you start the sweep: jobs have its environment");
  }
}

}  // namespace rooftune::roofline
