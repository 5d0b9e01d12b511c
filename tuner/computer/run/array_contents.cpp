#include "run/array_contents.h"

#include <fmt/format.h>

#include "run/npy.h"

namespace rooftune::run {
namespace {

std::string_view bytes_of(const MappedFile& file) {
  return {static_cast<const char*>(file.data()), file.size()};
}

}  // namespace

ArrayContents::ArrayContents(const std::filesystem::path& file, const Slot& slot)
    : mapped_(file), bytes_(bytes_of(mapped_)) {
  const Argument& one = slot.argument;
  const std::string wanted =
      fmt::format("kernel.json says \"count\": \"{}\", {} elements", one.count.text(), slot.count);
  constexpr const char* cure =
      "choose the sizes of this file (\"default\" or --problem), or "
      "correct \"count\"";
  const std::size_t needed = static_cast<std::size_t>(slot.count) * one.type.size();
  if (is_npy(bytes_)) {
    const NpyHead head = npy_head(bytes_, file.string());
    if (head.type != npy_type(one.type))
      throw Error(fmt::format("array {}: the file holds {}, kernel.json says {} ({})", one.name,
                              head.text(), one.type.word(), npy_type(one.type)),
                  file.string(),
                  fmt::format("correct \"type\", or numpy.save(file, array.astype('{}'))",
                              npy_type(one.type)));
    if (head.count != slot.count)
      throw Error(fmt::format("array {}: the file holds {}, {}", one.name, head.text(), wanted),
                  file.string(), cure);
    bytes_.remove_prefix(head.offset);
    if (bytes_.size() != needed)
      throw Error(fmt::format("array {}: {} B follow its head, {} need {} B", one.name,
                              bytes_.size(), head.text(), needed),
                  file.string(), "the file is torn: write it again");
  } else if (bytes_.size() != needed) {
    throw Error(fmt::format("array {}: the file has {} B, {} of {} B", one.name, bytes_.size(),
                            wanted, one.type.size()),
                file.string(), cure);
  }
}

}  // namespace rooftune::run
