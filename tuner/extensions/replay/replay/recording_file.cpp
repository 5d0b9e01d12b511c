// Files of recorded spaces: the text, its form, and the results.
#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "core/file.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

/// Whole spaces measured by others: tens of MB, some million values.
constexpr JsonLimits limits{std::size_t{1} << 28, 30'000'000};

/// A format by the member with its results.
struct Form {
  const char* list;
  bool named;  ///< the results have names: an object instead of an array
  NewRecordingReader* reader;
};
constexpr Form forms[]{{"cache", true, cachefile_reader},
                       {"results", false, t4_reader},
                       {"Results", false, ktt_reader}};

/// A cachefile grows while its tuner runs, and stays unclosed after a kill: its complete entries.
Json complete_entries(const std::string& text, const std::string& where) {
  const std::size_t end = text.rfind("},");
  if (text.find("\"cache\"") > end) throw Error("is no cachefile", where);
  return parse_json(text.substr(0, end) + "}}}", where, limits);
}

const Form& form_of(const RecordingDocument& document) {
  const Form* found = nullptr;
  for (const Form& form : forms) {
    if (!document.json.is_object() || !document.json.contains(form.list)) continue;
    if (found)
      throw Error(fmt::format("has results in both \"{}\" and \"{}\"", found->list, form.list),
                  document.where, "a file has one form");
    found = &form;
  }
  if (found) return *found;
  throw Error("is no recorded space", document.where,
              "T4 results, a Kernel Tuner cachefile or KTT output, plain or .gz; tune export "
              "--format t4 writes Rooftune's records so");
}

/// Measured spaces expand 5 to 30 times; deflate reaches 1032 on zeros.
constexpr std::size_t most_expansion = 250;
/// Below this size no expansion is suspicious.
constexpr std::size_t harmless_bytes = std::size_t{1} << 24;

/// Throws Error for the latest fault of the stream, if any.
void check(gzFile stream, std::size_t expanded, const std::string& where) {
  int code = Z_OK;
  gzerror(stream, &code);
  if (code == Z_OK) return;
  if (code == Z_ERRNO) throw Error(std::string("cannot be read: ") + std::strerror(errno), where);
  throw Error(code == Z_BUF_ERROR ? fmt::format("is truncated after {} bytes expanded", expanded)
                                  : "is no valid gzip file",
              where, "copy or download it again");
}

}  // namespace

std::string expanded_text(const std::filesystem::path& file) {
  const std::string where = file.string();
  // Finds the faults of a path.
  if (!std::filesystem::is_fifo(file)) FileSource{file};
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rbe"), gzclose_r);
  if (!stream) throw Error("cannot be read", where);
  std::string text;
  char block[1 << 16];
  for (int got = 1; got > 0;) {
    got = gzread(stream.get(), block, sizeof block);
    check(stream.get(), text.size(), where);
    text.append(block, static_cast<std::size_t>(got));
    const auto read = static_cast<std::size_t>(gzoffset(stream.get()));
    if (text.size() > limits.bytes)
      throw Error(fmt::format("expands to more than the limit of {} bytes", limits.bytes), where,
                  "split it, or expand it and keep what you need");
    if (gzdirect(stream.get()) == 0 && text.size() > harmless_bytes && read > 0 &&
        text.size() / read > most_expansion)
      throw Error(fmt::format("expands more than {} times, as no measurement does", most_expansion),
                  where, "expand it yourself if you trust it");
  }
  return text;
}

RecordingDocument recording_document(const std::string& text, const std::string& where) {
  try {
    return {where, parse_json(text, where, limits)};
  } catch (const Error&) {
    try {
      return {where, complete_entries(text, where), true};
    } catch (const Error&) {
      // The fault of the whole text says more.
    }
    throw;
  }
}

RecordingDocument recording_document(const std::filesystem::path& file) {
  return recording_document(expanded_text(file), file.string());
}

Recording recording_of(const RecordingDocument& document) {
  const Form& form = form_of(document);
  Faults faults;
  const auto reader = form.reader(document.where, faults);
  ObjectReader root(document.json, document.where, faults);
  reader->head(root);
  const auto read = [&](ObjectReader& result) {
    reader->result(result);
    if (faults.size() >= most_recording_faults) faults.raise();
  };
  if (!form.named) root.each(form.list, read);
  if (form.named)
    root.object(form.list, [&](ObjectReader& list) {
      for (const auto& [name, entry] : list.json().items()) {
        ObjectReader result(entry, list.where(name), faults);
        if (entry.is_object()) read(result);
      }
    });
  Recording recording = reader->finish();
  if (document.cut) recording.deviates("the file was not closed; what was complete is kept");
  return recording;
}

Recording read_recording(const std::filesystem::path& file) {
  return recording_of(recording_document(file));
}

}  // namespace rooftune::replay
