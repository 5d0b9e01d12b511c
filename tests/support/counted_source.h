// A function of a few lines, built as a counting artefact: what a test traces.
// The caller defines it extern "C" with visibility "default".
#pragma once
#include <catch2/catch.hpp>
#include <fstream>

#include "build/artefact.h"
#include "core/file.h"
#include "instrumentation/trace.h"
#include "instrumentation/weaving.h"
#include "os/dynamic_library.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::test {

class CountedSource {
 public:
  explicit CountedSource(const std::string& text, std::vector<std::string> more = {}) {
    std::ofstream(folder_.path() / "source.cpp")
        << "#include <cstdint>\n#include <cstring>\n"
           "#define EXPORT extern \"C\" __attribute__((visibility(\"default\")))\n"
        << text;
    HostCompiler compiler = host_compiler();
    std::vector<std::string> words = compiler.flags;
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> assemble = words;
    std::erase(assemble, "-shared");
    assemble.insert(assemble.end(), {"-S", "-o", "source.s", "source.cpp"});
    step(compiler, assemble);
    std::ofstream(folder_.path() / "counted.s")
        << counting_assembly(read_text(folder_.path() / "source.s"));
    words.insert(words.end(), {"-Wl,-z,defs", "-o", "counted.so", "counted.s"});
    step(compiler, words);
  }
  std::filesystem::path library() const { return folder_.path() / "counted.so"; }

 private:
  void step(const HostCompiler& compiler, const std::vector<std::string>& words) const {
    Command command;
    command.argv.push_back(compiler.path);
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.directory = folder_.path();
    const Finished finished = execute(command);
    INFO(finished.output);
    REQUIRE(finished.status.ok());
  }

  TemporaryDirectory folder_{"rooftune-counted"};
};

}  // namespace rooftune::test
