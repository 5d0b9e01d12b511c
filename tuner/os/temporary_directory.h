// A directory that goes away with its owner.
#pragma once
#include <filesystem>
#include <string>

namespace rooftune {

class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& prefix = "rooftune");
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rooftune
