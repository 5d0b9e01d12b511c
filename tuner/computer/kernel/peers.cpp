// Reading peers.json.
#include "kernel/peers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json.h"
#include "core/pattern.h"
#include "kernel/manifest_reader.h"

namespace rooftune::kernel {
namespace {

constexpr const char* peers_schema = "rooftune-peers-1";
constexpr const char* cuda_backend = "cuda";

bool is_library(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '+' || c == '.';
  });
}

Expression parsed(ObjectReader& reader, const std::string& key, const std::string& text) {
  try {
    return Expression::parse(text);
  } catch (const Error& error) {
    reader.fault(key, error.message());
    return {};
  }
}

bool is_on_card(ObjectReader& reader) {
  const std::string backend = reader.text("backend", "");
  if (!backend.empty() && backend != cuda_backend)
    reader.fault("backend", fmt::format("\"{}\" has no peers", backend),
                 "\"cuda\": it runs on a card; without the member it runs on the CPU");
  return backend == cuda_backend;
}

Backend source(ObjectReader& reader, const Kernel& kernel, bool on_card) {
  Backend backend = read_backend(reader, kernel.folder);
  const bool has_kernels = backend.source.extension() == ".cu";
  if (has_kernels && !on_card)
    reader.fault("source", "is CUDA, and the peer runs on the CPU", "add \"backend\": \"cuda\"");
  backend.name = has_kernels ? cuda_backend : "peer";
  backend.libraries = reader.texts("libraries");
  for (const std::string& library : backend.libraries)
    if (!is_library(library))
      reader.fault("libraries", fmt::format("\"{}\" is no name of a library", library),
                   "\"z\" stands for libz");
  for (const std::string& directory : reader.texts("include_directories")) {
    if (!directory.starts_with('/'))
      reader.fault("include_directories", fmt::format("\"{}\" is no absolute path", directory));
    backend.include_directories.push_back(directory);
  }
  return backend;
}

PeerProgram program(ObjectReader& reader) {
  PeerProgram result;
  result.name = reader.text("program");
  result.arguments = reader.texts("arguments");
  result.pattern = reader.text("pattern");
  try {
    if (Pattern(result.pattern).groups() < 1)
      reader.fault("pattern", "needs a group for the number, as in \"time: ([0-9.]+) s\"");
  } catch (const PatternError& error) {
    reader.fault("pattern", fmt::format("is no regular expression: {}", error.what()));
  }
  result.seconds = parsed(reader, "seconds", reader.formula("seconds", "value"));
  return result;
}

}  // namespace

std::vector<Peer> read_peers(const Kernel& kernel) {
  const auto file = kernel.folder / "peers.json";
  if (!std::filesystem::exists(file)) return {};
  const Json json = read_json(file);
  if (!json.is_object()) throw Error("a list of peers is a JSON object", file.string());
  Faults faults;
  ObjectReader root(json, file.string(), faults);
  if (root.text("schema") != peers_schema && root.has("schema"))
    root.fault("schema", fmt::format("must be \"{}\"", peers_schema));
  std::vector<Peer> peers;
  root.each("peers", [&](ObjectReader& reader) {
    Peer peer;
    peer.name = reader.text("name");
    peer.title = reader.text("title");
    peer.cure = reader.text("cure");
    if (const std::string when = reader.text("when", ""); !when.empty())
      peer.when = parsed(reader, "when", when);
    peer.on_card = is_on_card(reader);
    if (reader.has("program") == reader.has("source"))
      reader.fault("", "a peer has either \"source\" or \"program\"");
    else if (reader.has("program"))
      peer.program = program(reader);
    else
      peer.source = source(reader, kernel, peer.on_card);
    reader.finish();
    peers.push_back(std::move(peer));
  });
  root.finish();
  faults.raise();
  return peers;
}

}  // namespace rooftune::kernel
