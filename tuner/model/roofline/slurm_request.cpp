// Request to a scheduler for nodes of a machine's type.
#include <array>

#include "roofline/machine.h"

namespace rooftune::roofline {
namespace {

/// Options set by the launcher itself, or able to hide its jobs from it.
constexpr std::array kept{"--array", "-a",      "--job-name", "-J",         "--output",
                          "-o",      "--error", "-e",         "--parsable", "--wait",
                          "-W",      "--wrap",  "--signal",   "--requeue",  "--test-only"};

bool is_kept(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  for (const std::string_view each : kept)
    // sbatch takes the beginning of a long name for it.
    if ((name.size() > 1 && each.starts_with(name)) ||
        (each.size() == 2 && option.starts_with(each) && option[1] != '-'))
      return true;
  return false;
}

}  // namespace

std::vector<std::string> SlurmRequest::words() const {
  SlurmRequest named = *this;
  named.options.clear();
  const Json json = encode(named);
  std::vector<std::string> words;
  for (const auto& [name, text] : json.items())
    words.push_back("--" + name + "=" + text.get<std::string>());
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

void SlurmRequest::check(const SlurmRequest& request, const Place& place) {
  const Place list = place.member("options");
  for (std::size_t i = 0; i < request.options.size(); ++i) {
    const std::string& option = request.options[i];
    if (!option.starts_with('-'))
      list.element(i).fault("\"" + option + "\" is no option of sbatch",
                            "one text for an option and its value: \"--qos=night\"");
    else if (is_kept(option))
      list.element(i).fault("\"" + option + "\" is set by the launcher", "leave it out");
  }
}

}  // namespace rooftune::roofline
