// Peers: sources and programs, and every fault of their file.
#include <catch2/catch.hpp>

#include "kernel/published.h"
#include "support/manifest_folder.h"

using namespace rooftune;
using Catch::Contains;
using testing::ManifestFolder;

namespace {

std::string file_of(const std::string& peer) {
  return R"({"schema": "rooftune-peers-1", "peers": [)" + peer + "]}";
}

std::vector<Peer> peers_in(const ManifestFolder& folder, const std::string& text) {
  folder.write("peers.json", text);
  return read_peers(read_kernel(folder.path()));
}

std::string fault(const std::string& peer) {
  const ManifestFolder folder(testing::triad_manifest());
  folder.write("other.cpp", "");
  folder.write("other.cu", "");
  try {
    peers_in(folder, file_of(peer));
  } catch (const Error& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("a kernel without peers.json has no peers") {
  const ManifestFolder folder(testing::triad_manifest());
  CHECK(read_peers(read_kernel(folder.path())).empty());
}

TEST_CASE("peers are sources with libraries, or programs with a pattern for their time") {
  const ManifestFolder folder(testing::triad_manifest());
  folder.write("other.cpp", "");
  const auto peers = peers_in(
      folder, file_of(
                  R"({"name": "lib", "title": "a library", "source": "other.cpp", "prepare": true,
              "include_directories": ["/usr/include/x"], "libraries": ["x"], "cure": "install x"},
             {"name": "prog", "title": "a program", "program": "prog", "arguments": ["-n", "=n"],
              "pattern": "time: ([0-9.]+) ms", "seconds": "value*1e-3", "cure": "build it"})"));
  REQUIRE(peers.size() == 2);
  REQUIRE(peers[0].source);
  CHECK(peers[0].source->prepare);
  CHECK(peers[0].source->libraries == std::vector<std::string>{"x"});
  CHECK(peers[0].source->source == folder.path() / "other.cpp");
  CHECK_FALSE(peers[0].program);
  REQUIRE(peers[1].program);
  CHECK(peers[1].program->arguments == std::vector<std::string>{"-n", "=n"});
  CHECK(peers[1].cure == "build it");
}

TEST_CASE("peers of a card are sources with or without kernels of their own, or programs") {
  const ManifestFolder folder(testing::triad_manifest());
  folder.write("other.cpp", "");
  folder.write("kernels.cu", "");
  const std::string head = R"({"name": "p", "title": "t", "cure": "c", )";
  const auto peers = peers_in(
      folder,
      file_of(head + R"("backend": "cuda", "source": "other.cpp"},)" + head +
              R"("backend": "cuda", "source": "kernels.cu"},)" + head +
              R"x("backend": "cuda", "program": "x", "pattern": "(.)", "seconds": "value"},)x" +
              head + R"("source": "other.cpp"})"));
  REQUIRE(peers.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(peers[i].on_card);
  CHECK_FALSE(peers[3].on_card);
  CHECK_FALSE(peers[0].source->needs_gpu_compiler());
  CHECK(peers[1].source->needs_gpu_compiler());
}

TEST_CASE("faults of peers.json name the place") {
  const std::string head = R"({"name": "p", "title": "t", "cure": "c", )";
  CHECK_THAT(fault(head + R"("source": "absent.cpp"})"), Contains("/peers/0/source"));
  CHECK_THAT(fault(head + R"("source": "other.cpp", "program": "x"})"), Contains("either"));
  CHECK_THAT(fault(head + R"("source": "other.cpp", "libraries": ["x -Wl,y"]})"),
             Contains("/peers/0/libraries"));
  CHECK_THAT(fault(head + R"("source": "other.cpp", "flags": ["-fplugin=x"]})"),
             Contains("/peers/0/flags"));
  CHECK_THAT(fault(head + R"("source": "other.cpp", "include_directories": ["../x"]})"),
             Contains("absolute"));
  CHECK_THAT(fault(head + R"("program": "x", "pattern": "time"})"), Contains("/peers/0/pattern"));
  CHECK_THAT(fault(head + R"("program": "x", "pattern": "(["})"), Contains("regular expression"));
  CHECK_THAT(fault(head + R"x("program": "x", "pattern": "(.)", "seconds": "value +"})x"),
             Contains("/peers/0/seconds"));
  CHECK_THAT(fault(head + R"("backend": "opencl", "source": "other.cpp"})"),
             Contains("/peers/0/backend"));
  CHECK_THAT(fault(head + R"("source": "other.cu"})"),
             Contains("/peers/0/source") && Contains("\"backend\": \"cuda\""));
  CHECK_THAT(fault(R"x({"title": "t", "cure": "c", "program": "x", "pattern": "(.)"})x"),
             Contains("/peers/0/name"));
}
