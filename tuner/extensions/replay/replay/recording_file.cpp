// Reads files with recorded spaces: form, head, then the results one by one. The file must not
// change meanwhile.
#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

/// As JSON in memory, results take 6 to 80 bytes for each byte on disk, in small files more.
constexpr size_t memory_per_byte = 150;
constexpr size_t memory_of_any = size_t{1} << 26;

/// Measured spaces expand 5 to 30 times; deflate reaches 1032 on zeros.
constexpr size_t most_expansion = 250;
/// Below this size no expansion is suspicious.
constexpr size_t harmless_bytes = size_t{1} << 24;

/// What the allocator adds for a node or a text on the heap [B], roughly.
constexpr size_t heap_bytes = 48;

size_t footprint(const Json& json) {
  size_t bytes = sizeof json;
  if (json.is_string()) return bytes + heap_bytes + json.get_ref<const std::string&>().size();
  if (!json.is_structured()) return bytes;
  for (const Json& value : json) bytes += footprint(value);
  const size_t name_bytes = json.is_object() ? json.size() * heap_bytes : 0;
  return bytes + heap_bytes + name_bytes;
}

}  // namespace

/// A format, known by the member that holds its results.
struct RecordingFile::Form {
  const char* list;
  bool named;    ///< the results have names: an object, not an array
  bool may_end;  ///< a file grows while its tuner runs; after a kill it is not closed
  NewRecordingReader* reader;
};

const std::vector<RecordingFile::Form>& RecordingFile::forms() {
  static const std::vector<Form> all{{"cache", true, true, cachefile_reader},
                                     {"results", false, false, t4_reader},
                                     {"Results", false, false, ktt_reader}};
  return all;
}

RecordingFile::RecordingFile(const fs::path& file) : where_(file.string()) {
  std::error_code missing;
  if (fs::exists(file, missing) && !fs::is_regular_file(file) && !fs::is_directory(file))
    throw Error("is a pipe or a device, and a recording is read twice", where_,
                "write it into a file");
  open_ = [file] { return std::make_unique<CompressedFile>(file); };
  open_();
  bytes_ = fs::file_size(file);
  look();
}

RecordingFile::RecordingFile(const std::string& text, std::string where)
    : where_(std::move(where)),
      open_([&text] { return std::make_unique<TextSource>(text); }),
      bytes_(text.size()) {
  look();
}

JsonRest RecordingFile::parse(const Texts& lists, const Take& take) const {
  const std::unique_ptr<ByteSource> bytes = open_();
  JsonElements elements{lists, take, {}};
  for (const Form& form : forms())
    if (form.may_end) elements.may_end_in = form.list;
  try {
    return parse_json_elements(*bytes, where_, elements);
  } catch (const Error&) {
    if (auto* const file = dynamic_cast<CompressedFile*>(bytes.get())) file->drain();
    throw;
  }
}

void RecordingFile::look() {
  Texts lists;
  for (const Form& form : forms()) lists.emplace_back(form.list);
  JsonRest rest = parse(lists, nullptr);
  head_ = std::move(rest.json);
  cut_ = rest.cut;
  for (const Form& form : forms()) {
    if (!head_.is_object() || !head_.contains(form.list)) continue;
    if (form_ != nullptr)
      throw Error(fmt::format("has results in both \"{}\" and \"{}\"", form_->list, form.list),
                  where_, "a file has one form");
    form_ = &form;
  }
}

Recording RecordingFile::read() const {
  if (form_ == nullptr)
    throw Error(
        "is no recorded space", where_,
        "T4 results, a Kernel Tuner cachefile or KTT output, plain or .gz; tune export --format t4 "
        "writes Rooftune's records so");
  Faults faults;
  const auto reader = form_->reader(where_, faults);
  ObjectReader root(head_, where_, faults);
  reader->head(root);
  const Json nothing = Json::object();
  const ObjectReader list(nothing, root.where(form_->list), faults);
  const Json& results = root.member(form_->list);
  if (form_->named ? !results.is_object() : !results.is_array()) {
    root.fault(form_->list, form_->named ? "expected an object" : "expected an array of objects");
    faults.raise();
  }
  const size_t most = memory_of_any + memory_per_byte * bytes_;
  size_t taken = 0;
  parse({form_->list}, [&](const std::string&, const std::string& name, const Json& element) {
    ObjectReader result(element, list.where(name), faults);
    taken += footprint(element);
    if (taken > most)
      throw Error(
          fmt::format("its results take more than {} MB, far more than the file", most >> 20),
          result.where(), "no measurement is written so; is it the right file?");
    if (element.is_object()) reader->result(result);
    if (faults.size() >= most_recording_faults) faults.raise();
  });
  Recording recording = reader->finish();
  if (cut_) recording.deviates("the file was not closed; what was complete is kept");
  return recording;
}

Recording read_recording(const fs::path& file) { return RecordingFile(file).read(); }

void CompressedFile::Close::operator()(gzFile_s* stream) const { gzclose_r(stream); }

CompressedFile::CompressedFile(const fs::path& file, size_t limit)
    : where_(file.string()), limit_(limit), stream_(gzopen(file.c_str(), "rbe")) {
  // Finds faults in the path.
  const FileSource opened(file);
  if (!stream_) throw Error("cannot be read", where_);
}

void CompressedFile::check() const {
  int code = Z_OK;
  gzerror(stream_.get(), &code);
  if (code == Z_OK) return;
  if (code == Z_ERRNO) throw Error(std::string("cannot be read: ") + std::strerror(errno), where_);
  throw Error(code == Z_BUF_ERROR ? fmt::format("is truncated after {} bytes expanded", given_)
                                  : "is no valid gzip file",
              where_, "copy or download it again");
}

std::string_view CompressedFile::next() {
  const int got = gzread(stream_.get(), block_.data(), unsigned(block_.size()));
  check();
  given_ += got;
  const bool plain = gzdirect(stream_.get()) != 0;
  if (given_ > limit_)
    throw Error(fmt::format("{} the limit of {} bytes",
                            plain ? "is larger than" : "expands to more than", limit_),
                where_, "split it, or expand it and keep what you need");
  const auto read = gzoffset(stream_.get());
  if (!plain && read > 0 && given_ > harmless_bytes && given_ / read > most_expansion)
    throw Error(fmt::format("expands more than {} times, as no measurement does", most_expansion),
                where_, "expand it yourself if you trust it");
  return {block_.data(), size_t(got)};
}

void CompressedFile::drain() {
  if (gzdirect(stream_.get()) != 0) return;
  while (!next().empty()) {
  }
}

}  // namespace rooftune::replay
