// Broken requests: a worker answers each with a fault, or a reply, and goes on; it never dies of
// one.
#include <catch2/catch.hpp>

#include "core/rng.h"
#include "os/subprocess.h"
#include "run/message.h"

using namespace rooftune;

namespace {

/// A setup without arrays, so that no mutation can ask for the machine's memory.
std::vector<std::string> good_requests() {
  Setup setup;
  Slot scalar;
  scalar.argument.name = "n";
  scalar.argument.type = Argument::Type::int64;
  setup.slots.push_back(scalar);
  setup.openmp = {"libgomp.so.1"};
  Task task;
  task.library = "/nowhere/variant.so";
  task.scalars = Json::array({7});
  return {Json{{"do", "setup"}, {"sequence", 1}, {"setup", encode(setup)}}.dump(),
          Json{{"do", "trial"}, {"sequence", 2}, {"task", encode(task)}}.dump(),
          Json{{"do", "enter"}, {"sequence", 3}, {"entry", 0}, {"task", encode(task)}}.dump(),
          Json{{"do", "sample"}, {"sequence", 4}, {"entry", 0}}.dump()};
}

/// One to four random edits: a byte changed, dropped, doubled, or the tail cut off.
std::string mutated(std::string text, Rng& rng) {
  for (std::uint64_t edits = 1 + rng.below(4); edits > 0 && !text.empty(); --edits) {
    const auto at = static_cast<std::size_t>(rng.below(text.size()));
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1 + rng.below(8));
        break;
      case 2:
        text.insert(at, text.substr(at, 1 + rng.below(8)));
        break;
      default:
        text.resize(at);
    }
  }
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

TEST_CASE("a worker survives broken requests") {
  Command command;
  command.argv = {ROOFTUNE_TEST_WORKER, "worker"};
  Child child(command);
  const auto requests = good_requests();
  for (std::uint64_t round = 0; round < 2000; ++round) {
    Rng rng(20261121, round);
    std::string line = requests[rng.below(requests.size())];
    if (rng.below(8) != 0) line = mutated(line, rng);
    INFO(round << ": " << line);
    REQUIRE(child.send(line));
    // The reply that ends an answer: a fault, ready, or done.
    for (bool more = true; more;) {
      const auto reply = child.receive(std::chrono::milliseconds(60'000));
      REQUIRE(reply.event == Child::Event::line);
      const Json json = parse_json(reply.line, "reply");
      const std::string phase = json.at("phase").get<std::string>();
      more = phase != "fault" && phase != "ready" && phase != "done";
      if (phase == "fault") CHECK_FALSE(json.at("detail").get<std::string>().empty());
    }
  }
}
