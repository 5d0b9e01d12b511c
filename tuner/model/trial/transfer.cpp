#include "trial/transfer.h"

#include <fmt/format.h>

namespace rooftune::trial {
namespace {

Json configurations_json(const std::vector<Configuration>& configurations) {
  Json json = Json::array();
  for (const Configuration& configuration : configurations) json.push_back(to_json(configuration));
  return json;
}

std::vector<Configuration> read_configurations(ObjectReader& reader, const char* member) {
  std::vector<Configuration> result;
  const Json& list = reader.member(member);
  if (!list.is_array()) {
    reader.fault(member, "must be a list of configurations");
    return result;
  }
  for (const Json& one : list) result.push_back(configuration_from_json(one, reader.where(member)));
  return result;
}

}  // namespace

std::string to_text(const Transfer& transfer) {
  std::string text = transfer.proposals.empty() ? "nothing known elsewhere fits this space"
                                                : "started from the best known: ";
  for (std::size_t i = 0; i < transfer.sources.size(); ++i) {
    const TransferSource& source = transfer.sources[i];
    text += fmt::format("{}{} of {} on {} ({}{})", i == 0 ? "" : "; ", source.proposals.size(),
                        source.study, source.machine, source.problem,
                        source.trials == 0 ? "" : fmt::format(", {} trials", source.trials));
  }
  if (transfer.skipped > 0)
    text +=
        fmt::format("; {} shipped with knobs or values that this space has not", transfer.skipped);
  return text;
}

Json to_json(const Transfer& transfer) {
  Json sources = Json::array();
  for (const TransferSource& source : transfer.sources)
    sources.push_back({{"study", source.study},
                       {"machine", source.machine},
                       {"digest", source.digest},
                       {"trials", source.trials},
                       {"problem", source.problem},
                       {"proposals", configurations_json(source.proposals)}});
  return {{"studies", sources},
          {"proposals", configurations_json(transfer.proposals)},
          {"skipped", transfer.skipped}};
}

Transfer transfer_from_json(const Json& json, const std::string& where) {
  Transfer transfer;
  Faults faults;
  ObjectReader reader(json, where, faults);
  transfer.proposals = read_configurations(reader, "proposals");
  transfer.skipped = static_cast<std::uint64_t>(reader.integer("skipped", 0));
  reader.each("studies", [&](ObjectReader& one) {
    TransferSource source;
    source.study = one.text("study");
    source.machine = one.text("machine", "");
    source.digest = one.text("digest", "");
    source.trials = static_cast<std::uint64_t>(one.integer("trials", 0));
    source.problem = one.text("problem", "");
    source.proposals = read_configurations(one, "proposals");
    transfer.sources.push_back(std::move(source));
  });
  faults.raise();
  return transfer;
}

}  // namespace rooftune::trial
