// The reference of the command line as docs/ has it is what the table of options says today.
#include "unit/cli/reference.h"

#include "cli/options.h"
#include "support/golden.h"
#include "support/with_extensions.h"

using namespace rooftune;

TEST_CASE("the pages of the command line and the man page are those of today's options") {
  sample::check_approved("docs/cli.md", reference_page());
  sample::check_approved("docs/commands.md", commands_page());
  sample::check_approved("docs/tune.1", manual_page());
}

TEST_CASE("every command has an example, and help says the defaults of this machine") {
  const std::string examples = reference_page(), commands = commands_page();
  const std::string heading = "\n## tune ";
  std::size_t sections = 0;
  for (std::size_t at = 0; (at = commands.find(heading, at)) != std::string::npos; ++at) {
    const std::size_t name = at + heading.size();
    const std::string command = commands.substr(name, commands.find_first_of(" \n", name) - name);
    INFO(command);
    CHECK(examples.find("\ntune " + command + " ") != std::string::npos);
    ++sections;
  }
  CHECK(sections > 15);
  const auto text = [](std::vector<const char*> words) {
    words.insert(words.begin(), "tune");
    return parse(static_cast<int>(words.size()), words.data()).text;
  };
  const std::string first = text({"--help"});
  for (const char* said : {"Here: ", "CPUs", "results in", "tune help study", "export, bench"})
    CHECK_THAT(first, Catch::Contains(said));
  CHECK(std::ranges::count(first, '\n') <= 24);
  CHECK(text({"help"}) == first);
  CHECK(text({}) == first);
  CHECK_THAT(text({"help", "all"}),
             Catch::Contains("(default: 1)") && Catch::Contains("Examples:"));
  CHECK_THAT(text({"help", "study"}), Catch::Contains("--target-gap"));
  CHECK_THAT(text({"help", "program"}),
             Catch::Matchers::StartsWith("A program") && Catch::Contains("--template"));
  CHECK(text({"help", "export"}) == text({"export", "--help"}));
  CHECK(text({"help", "records", "gc"}) == text({"records", "gc", "--help"}));
  CHECK_THROWS_WITH(text({"help", "exprot"}), Catch::Contains("did you mean \"export\"?"));
}
