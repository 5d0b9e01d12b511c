#include "core/folder_below.h"

#include "core/error.h"
#include "core/file.h"

namespace rooftune::core {

std::filesystem::path folder_below(const std::filesystem::path& root,
                                   const std::filesystem::path& below) {
  const std::string cure =
      "make " + root.string() + " writable, or name another (--results, --output)";
  make_folders(root, cure);
  std::filesystem::path folder = root;
  for (const std::filesystem::path& part : below) {
    folder /= part;
    std::error_code fault;
    // A missing one is made: a link that leads nowhere is there.
    std::filesystem::create_directory(folder, fault);
    if (std::filesystem::is_symlink(folder, fault))
      throw Error(
          "is a link, and files that Rooftune names itself are written through none: "
          "somebody else may have put it there",
          folder.string(), "remove it, or name the folder that it leads to (--results, --output)");
    make_folders(folder, cure);
  }
  return folder;
}

}  // namespace rooftune::core
