#include "roofline/slurm_request.h"

#include <array>

namespace rooftune::roofline {
namespace {

struct Option {
  const char* name;
  std::string SlurmRequest::*text;
};
constexpr std::array<Option, 5> named{{{"partition", &SlurmRequest::partition},
                                       {"constraint", &SlurmRequest::constraint},
                                       {"account", &SlurmRequest::account},
                                       {"gres", &SlurmRequest::gres},
                                       {"time", &SlurmRequest::time}}};

/// Options set by the launcher itself, or able to hide its jobs from it.
constexpr std::array kept{"--array", "-a",      "--job-name", "-J",         "--output",
                          "-o",      "--error", "-e",         "--parsable", "--wait",
                          "-W",      "--wrap",  "--signal",   "--requeue",  "--test-only"};

bool is_kept(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  for (const std::string_view each : kept)
    if (name == each || (each.size() == 2 && option.starts_with(each) && option[1] != '-'))
      return true;
  return false;
}

}  // namespace

std::vector<std::string> SlurmRequest::words() const {
  std::vector<std::string> words;
  for (const Option& option : named)
    if (const std::string& text = this->*option.text; !text.empty())
      words.push_back(std::string("--") + option.name + "=" + text);
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

SlurmRequest read_slurm_request(ObjectReader& reader) {
  SlurmRequest request;
  for (const Option& option : named) request.*option.text = reader.text(option.name, "");
  request.options = reader.texts("options");
  for (std::size_t i = 0; i < request.options.size(); ++i) {
    const std::string& option = request.options[i];
    if (!option.starts_with('-'))
      reader.fault("options", i, "\"" + option + "\" is no option of sbatch",
                   "one text for an option and its value: \"--qos=night\"");
    else if (is_kept(option))
      reader.fault("options", i, "\"" + option + "\" is set by the launcher", "leave it out");
  }
  reader.finish();
  return request;
}

Json to_json(const SlurmRequest& request) {
  Json json = Json::object();
  for (const Option& option : named)
    if (const std::string& text = request.*option.text; !text.empty()) json[option.name] = text;
  if (!request.options.empty()) json["options"] = request.options;
  return json;
}

}  // namespace rooftune::roofline
