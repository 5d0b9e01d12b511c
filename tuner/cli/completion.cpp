#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/export_choice.h"
#include "counters/provider.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "search/strategy.h"
#include "study/machines.h"

namespace rooftune::cli {
namespace {

using Offers = std::vector<Offer>;

Offers of_words(const std::vector<std::string>& words) {
  Offers offers;
  for (const std::string& word : words) offers.push_back({word, {}});
  return offers;
}

Offers offered_machines() {
  Offers offers{{host_machine, "this computer"}, {card_machine, "the GPU here"}};
  for (const auto& [name, file] : machine_files())
    if (name != host_machine) offers.push_back({name, {}});
  return offers;
}

Offers offered_backends() {
  Offers offers;
  for (const BackendRow& row : backend_table())
    if (row.builder != Builder::own) offers.push_back({row.name, {}});
  return offers;
}

template <typename Rows>
Offers of_rows(const Rows& rows, Offers offers = {}) {
  for (const auto& row : rows) offers.push_back({row.name, row.summary});
  return offers;
}

/// The parameters of the kernel named in the words.
Offers offered_parameters(const std::vector<std::string>& words) {
  Offers offers;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-k" || words[i] == "--kernel" || words[i] == "check")
      for (const Parameter& parameter : find_kernel(words[i + 1], home()).parameters)
        offers.push_back({parameter.name + "=", parameter.doc});
  return offers;
}

/// By the placeholder of the option's value in the help.
Offers values(const CLI::Option& option, const std::vector<std::string>& choices,
              const std::vector<std::string>& words) {
  if (!choices.empty()) return of_words(choices);
  const std::string type = option.get_type_name();
  if (type == "KERNEL") return of_words(kernel_names(home()));
  if (type == "MACHINE") return offered_machines();
  if (type == "BACKEND") return offered_backends();
  if (type == "STRATEGY") return of_rows(strategies());
  if (type == "EXPORTER") return of_rows(export_formats());
  if (type == "COUNTERS")
    return of_rows(counter_providers(),
                   {{"auto", "what is there"}, {"none", "nothing is counted"}});
  if (type == "K=V,...") return offered_parameters(words);
  return {};
}

/// The position of the words: their command, and the option of the next value.
struct Place {
  const CLI::App* command;
  const CLI::Option* option = nullptr;
};

Place place_behind(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{&app};
  for (const std::string& word : words) {
    if (place.option) {
      place.option = nullptr;
    } else if (word.starts_with("-")) {
      const CLI::Option* option = place.command->get_option_no_throw(word);
      if (option && option->get_items_expected_min() > 0) place.option = option;
    } else {
      const auto names = command_names(*place.command);
      if (std::find(names.begin(), names.end(), word) != names.end())
        place.command = place.command->get_subcommand(word);
    }
  }
  return place;
}

Offers at(const Place& place, const std::vector<std::string>& words) {
  Offers offers;
  if (place.option)
    return values(*place.option, choices_of(*place.command, place.option->get_name()), words);
  if (words.back().starts_with("-")) {
    for (const std::string& name : option_names(*place.command))
      offers.push_back({name, place.command->get_option_no_throw(name)->get_description()});
    return offers;
  }
  for (const std::string& name : command_names(*place.command))
    offers.push_back({name, place.command->get_subcommand(name)->get_description()});
  for (const CLI::Option* option : place.command->get_options())
    if (option->get_positional())
      for (const std::string& choice : choices_of(*place.command, option->get_name()))
        offers.push_back({choice, {}});
  if (place.command->get_name() == "check") return of_words(kernel_names(home()));
  return offers;
}

}  // namespace

std::vector<Offer> completions(const std::vector<std::string>& words) {
  if (words.empty()) return completions({""});
  CommandLine line;
  CLI::App app;
  add_all(app, line, 80);
  const Place place = place_behind(app, {words.begin(), words.end() - 1});
  Offers offers;
  try {
    for (Offer& offer : at(place, words))
      if (offer.word.starts_with(words.back())) offers.push_back(std::move(offer));
  } catch (const std::exception&) {
    // A missing kernel or folder; a message would stand in the middle of the words.
  }
  return offers;
}

int print_completions(const std::vector<std::string>& words) {
  for (const Offer& offer : completions(words))
    fmt::print("{}{}{}\n", offer.word, offer.about.empty() ? "" : "\t", offer.about);
  return 0;
}

}  // namespace rooftune::cli
