// Files of recorded spaces: form, head, then the results one by one. The file must not change
// meanwhile.
#include <fmt/format.h>

#include "core/file.h"
#include "replay/compressed_file.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

/// A pipe is readable only once, so its contents are held.
constexpr std::size_t most_held_bytes = std::size_t{1} << 28;

/// Results take 2 to 60 bytes for one on disk, those of small files more.
constexpr std::size_t memory_per_byte = 80;
constexpr std::size_t memory_of_any = std::size_t{1} << 26;

}  // namespace

/// A format by the member with its results.
struct RecordingFile::Form {
  const char* list;
  bool named;    ///< the results have names: an object instead of an array
  bool may_end;  ///< a file grows while its tuner runs; after a kill it is not closed
  NewRecordingReader* reader;
};

const std::vector<RecordingFile::Form>& RecordingFile::forms() {
  static const std::vector<Form> all{{"cache", true, true, cachefile_reader},
                                     {"results", false, false, t4_reader},
                                     {"Results", false, false, ktt_reader}};
  return all;
}

RecordingFile::RecordingFile(const std::filesystem::path& file) : where_(file.string()) {
  CompressedFile opened(file);
  if (opened.regular()) {
    bytes_ = std::filesystem::file_size(file);
    open_ = [file] { return std::make_unique<CompressedFile>(file); };
  } else {
    for (std::string_view block = opened.next(); !block.empty(); block = opened.next()) {
      if (held_.size() + block.size() > most_held_bytes)
        throw Error(fmt::format("more than {} bytes through a pipe", most_held_bytes), where_,
                    "write them into a file");
      held_.append(block);
    }
    bytes_ = held_.size();
    open_ = [this] { return std::make_unique<TextSource>(held_); };
  }
  look();
}

RecordingFile::RecordingFile(const std::string& text, std::string where)
    : where_(std::move(where)),
      open_([&text] { return std::make_unique<TextSource>(text); }),
      bytes_(text.size()) {
  look();
}

JsonRest RecordingFile::parse(const std::vector<std::string>& lists, const Take& take) const {
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
  const std::string begin(open_()->next());
  wisdom_ = begins_as_wisdom(begin);
  if (wisdom_) return;
  std::vector<std::string> lists;
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

std::size_t RecordingFile::memory() const { return memory_of_any + memory_per_byte * bytes_; }

Recording RecordingFile::read() const {
  if (wisdom_) return wisdom_recording(*open_(), where_, memory());
  if (form_ == nullptr)
    throw Error(
        "is no recorded space", where_,
        "T4 results, a Kernel Tuner cachefile, KTT output or a wisdom file of Kernel Launcher, "
        "plain or .gz; tune export --format t4 writes Rooftune's records so");
  Faults faults;
  const auto reader = form_->reader(where_, faults, memory());
  ObjectReader root(head_, where_, faults);
  reader->head(root);
  const Json nothing = Json::object();
  const ObjectReader list(nothing, root.where(form_->list), faults);
  const Json& results = root.member(form_->list);
  if (form_->named ? !results.is_object() : !results.is_array()) {
    root.fault(form_->list, form_->named ? "expected an object" : "expected an array of objects");
    faults.raise();
  }
  parse({form_->list}, [&](const std::string&, const std::string& name, const Json& element) {
    ObjectReader result(element, list.where(name), faults);
    if (element.is_object()) reader->result(result);
    if (faults.size() >= most_recording_faults) faults.raise();
  });
  Recording recording = reader->finish();
  if (cut_) recording.deviates("the file was not closed; what was complete is kept");
  return recording;
}

Recording read_recording(const std::filesystem::path& file) { return RecordingFile(file).read(); }

}  // namespace rooftune::replay
