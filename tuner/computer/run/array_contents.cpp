#include "run/array_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/number.h"

namespace rooftune::run {
namespace {

std::string_view bytes_of(const MappedFile& file) {
  return {static_cast<const char*>(file.data()), file.size()};
}

constexpr std::string_view magic = "\x93NUMPY";
/// Whether a file that begins so is a NumPy file.
bool is_npy(std::string_view bytes) { return bytes.starts_with(magic); }

/// A head has three members: a longer one belongs to no array of numbers.
constexpr size_t longest_head = 4096;
constexpr const char* write_again = "write it again with numpy.save()";
constexpr const char* c_order =
    "numpy.save(file, numpy.ascontiguousarray(array)) writes C order, "
    "numpy.save(file, array.T) the memory as it is";

size_t little_endian(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | uint8_t(bytes[i]);
  return value;
}

/// The text of a member in the head, from its first letter.
std::string_view member_of(std::string_view head, std::string_view name, const std::string& where) {
  const size_t key = head.find(fmt::format("'{}'", name));
  const size_t colon = key == head.npos ? key : head.find(':', key);
  const size_t first = colon == head.npos ? colon : head.find_first_not_of(' ', colon + 1);
  if (first != head.npos) return head.substr(first);
  throw Error(fmt::format("its head says nothing of '{}'", name), where, write_again);
}

std::string type_of(std::string_view head, const std::string& where) {
  const std::string_view text = member_of(head, "descr", where);
  const size_t end = text.find('\'', 1);
  if (!text.starts_with('\'') || end == text.npos)
    throw Error("holds records, no array of numbers: " + excerpt(text), where,
                "save one of their members: numpy.save(file, array['x']), or for \"bytes:24*\" "
                "numpy.save(file, array.view('V24'))");
  std::string type(text.substr(1, end - 1));
  // '=' means this machine's byte order, and a single byte has none.
  if (type.starts_with('=') || (type.starts_with('|') && type.ends_with('1'))) type[0] = '<';
  return type;
}

std::vector<int64_t> shape_of(std::string_view head, const std::string& where) {
  const std::string_view text = member_of(head, "shape", where);
  const size_t end = text.find(')');
  std::vector<int64_t> shape;
  bool whole = text.starts_with('(') && end != text.npos;
  std::string_view sizes = whole ? text.substr(1, end - 1) : "";
  while (whole && !sizes.empty()) {
    const auto size = take_number<int64_t>(sizes);
    whole = size && *size >= 0;
    shape.push_back(size.value_or(0));
    sizes.remove_prefix(std::min(sizes.find_first_not_of(", L"), sizes.size()));
  }
  if (!whole) throw Error("no shape: " + excerpt(text), where, write_again);
  return shape;
}

int64_t product(const std::vector<int64_t>& shape, const std::string& where) {
  int64_t count = 1;
  for (const int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count) || count > int64_t{1} << 58)
      throw Error(fmt::format("a shape of {} elements", fmt::join(shape, " x ")), where,
                  "no memory holds so many");
  return count;
}

}  // namespace

ArrayContents::ArrayContents(const fs::path& file, const Slot& slot)
    : mapped_(file), bytes_(bytes_of(mapped_)) {
  const Argument& one = slot.argument;
  const std::string wanted =
      fmt::format("kernel.json says \"count\": \"{}\", {} elements", one.count.text(), slot.count);
  constexpr const char* cure =
      "choose the sizes of this file (\"default\" or --problem), or "
      "correct \"count\"";
  const size_t needed = slot.count * one.type.size();
  if (is_npy(bytes_)) {
    const NpyHead head = npy_head(bytes_, file.string());
    if (head.type != npy_type(one.type))
      throw Error(fmt::format("array {}: the file holds {}, kernel.json says {} ({})", one.name,
                              head.text(), one.type.word(), npy_type(one.type)),
                  file,
                  fmt::format("correct \"type\", or numpy.save(file, array.astype('{}'))",
                              npy_type(one.type)));
    if (head.count != slot.count)
      throw Error(fmt::format("array {}: the file holds {}, {}", one.name, head.text(), wanted),
                  file, cure);
    bytes_.remove_prefix(head.offset);
    if (bytes_.size() != needed)
      throw Error(fmt::format("array {}: {} B follow its head, {} need {} B", one.name,
                              bytes_.size(), head.text(), needed),
                  file, "the file is torn: write it again");
  } else if (bytes_.size() != needed) {
    throw Error(fmt::format("array {}: the file has {} B, {} of {} B", one.name, bytes_.size(),
                            wanted, one.type.size()),
                file, cure);
  }
}

std::string NpyHead::text() const {
  return fmt::format("{}{} element{} of {}",
                     shape.size() > 1 ? fmt::format("{} = ", fmt::join(shape, " x ")) : "", count,
                     count == 1 ? "" : "s", type);
}

NpyHead npy_head(std::string_view bytes, const std::string& where) {
  const Error torn("the head of the NumPy file is torn", where, write_again);
  // The magic word, a version in two bytes, then the text's length in two bytes, since 2.0 in four.
  constexpr size_t version_at = 6, length_at = 8;
  if (!is_npy(bytes) || bytes.size() < length_at) throw torn;
  const int version = uint8_t(bytes[version_at]);
  if (version < 1 || version > 3)
    throw Error(fmt::format("a NumPy file of version {}", version), where,
                "versions 1 to 3 are read: " + std::string(write_again));
  const size_t begin = length_at + (version == 1 ? 2 : 4);
  if (bytes.size() < begin) throw torn;
  const size_t length = little_endian(bytes.substr(length_at, begin - length_at));
  if (length > longest_head || bytes.size() - begin < length) throw torn;
  const std::string_view head = bytes.substr(begin, length);
  NpyHead result;
  result.type = type_of(head, where);
  result.shape = shape_of(head, where);
  result.count = product(result.shape, where);
  result.offset = begin + length;
  const auto sides = count_if(result.shape, [](auto size) { return size > 1; });
  if (!member_of(head, "fortran_order", where).starts_with("False") && sides > 1)
    throw Error(result.text() + " in Fortran order", where, c_order);
  return result;
}

std::string npy_type(ElementType type) {
  // NumPy has no bfloat16.
  if (type.element() == Element::bfloat16) type = Element::uint16;
  // In the order of Family.
  static constexpr const char* letters[] = {"<i", "<u", "<b", "<f", "<c", "|V"};
  return fmt::format("{}{}", letters[size_t(type.row().family)], type.size());
}

}  // namespace rooftune::run
