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
  CHECK(sections > 20);
  const char* argv[] = {"tune", "--help"};
  const std::string help = parse(2, argv).text;
  for (const char* said : {"(default: 1)", "Examples:", "Here: ", "CPUs", "results in"})
    CHECK_THAT(help, Catch::Matchers::Contains(said));
  const char* of_export[] = {"tune", "export", "--help"};
  CHECK_THAT(parse(3, of_export).text,
             Catch::Matchers::Contains("tune export --kernel spmv --format library"));
}
