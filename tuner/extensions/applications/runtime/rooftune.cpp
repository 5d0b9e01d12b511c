// The C interface: exports behind a handle, which no exception passes.
#include <rooftune/rooftune.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/split.h"
#include "runtime/look_up.h"

namespace rooftune::runtime {
namespace {

constexpr size_t most_files = 100'000;

/// The files at a path; an unreadable folder becomes a fault.
Texts files_of(const std::string& path, Texts& faults) {
  std::error_code failed;
  if (!is_folder(path)) return {path};
  Texts files;
  for (fs::directory_iterator entry(path, failed), end;
       !failed && entry != end && files.size() < most_files; entry.increment(failed))
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  if (failed) faults.push_back(path + ": " + failed.message());
  // Sorted, so that faults come in the same order everywhere.
  sort(files);
  return files;
}

/// What some paths hold, not yet among the exports.
struct Load {
  std::vector<std::unique_ptr<const Candidate>> candidates;
  Texts faults;

  void path(const std::string& name) {
    for (const std::string& read : files_of(name, faults)) file(read);
  }
  void file(const std::string& name) {
    try {
      add(read_exported(name));
    } catch (const std::exception& fault) {
      faults.emplace_back(as_error(fault).what());
    }
  }
  void add(Exported&& exported) {
    exported.standing = standing(exported, host());
    const auto all = std::make_shared<const Exported>(std::move(exported));
    for (const size_t i : indices(all->problems))
      candidates.push_back(std::make_unique<const Candidate>(all, i));
  }
  void environment() {
    const char* const names = std::getenv("ROOFTUNE_EXPORTS");
    if (!names || !*names) {
      faults.emplace_back(
          "ROOFTUNE_EXPORTS is not set\nhint: name files or folders that tune export "
          "wrote, with ':' between them");
      return;
    }
    for (const std::string& name : split(names, ':'))
      if (!name.empty()) path(name);
  }
};

const NamedValues* knobs_of(const rooftune_answer* answer) {
  return answer ? static_cast<const NamedValues*>(answer->knobs) : nullptr;
}

const Value* knob_of(const rooftune_answer* answer, const char* name) {
  const NamedValues* const knobs = knobs_of(answer);
  const NamedValue* const knob = knobs ? find(*knobs, name) : nullptr;
  return knob ? &knob->value : nullptr;
}

}  // namespace
}  // namespace rooftune::runtime

using namespace rooftune;

/// A look-up reads the newest list without a lock. Older lists and all candidates stay until the
/// end, for earlier look-ups and for answers.
struct rooftune_exports {  // NOLINT(readability-identifier-naming): as C names its own
  struct Earlier {
    template <class Pointer>
    bool operator()(const Pointer& a, const Pointer& b) const {
      return *a < *b;
    }
  };
  mutable std::mutex mutex;
  std::set<std::unique_ptr<const Candidate>, Earlier> candidates;
  std::vector<std::unique_ptr<const Candidates>> lists;
  std::deque<std::string> faults;  // its elements stay where they are
  std::atomic<const Candidates*> newest = nullptr;

  /// `anew`: drops the exports read before from the list.
  void take(Load&& load, bool anew) {
    const std::lock_guard lock(mutex);
    const Candidates* const before = newest;
    auto list =
        before && !anew ? std::make_unique<Candidates>(*before) : std::make_unique<Candidates>();
    for (auto& candidate : load.candidates) {
      // A file that was read before keeps its earlier candidate.
      const Candidate* const one = candidates.insert(std::move(candidate)).first->get();
      const auto at = std::lower_bound(list->begin(), list->end(), one, Earlier());
      if (at == list->end() || *at != one) list->insert(at, one);
    }
    for (std::string& fault : load.faults) faults.push_back(std::move(fault));
    if (before && *list == *before) return;
    lists.push_back(std::move(list));
    newest = lists.back().get();
  }
  /// Returns how many faults are new.
  size_t read(const char* path, bool anew) noexcept {
    try {
      Load load;
      if (!path)
        load.environment();
      else if (*path)
        load.path(path);
      const size_t found = load.faults.size();
      take(std::move(load), anew);
      return found;
    } catch (...) {
      return 1;  // no memory, not even for the sentence
    }
  }
};

const rooftune_machine* rooftune_this_machine(void) { return &shown_host(); }

rooftune_exports* rooftune_load(const char* path) {
  auto* const exports = new (std::nothrow) rooftune_exports;
  if (exports) rooftune_add(exports, path);
  return exports;
}

size_t rooftune_add(rooftune_exports* exports, const char* path) {
  return exports ? exports->read(path, false) : 0;
}

size_t rooftune_reload(rooftune_exports* exports, const char* path) {
  return exports ? exports->read(path, true) : 0;
}

void rooftune_free(rooftune_exports* exports) { delete exports; }

size_t rooftune_count(const rooftune_exports* exports) {
  const Candidates* const list = exports ? exports->newest.load() : nullptr;
  return list ? list->size() : 0;
}

size_t rooftune_fault_count(const rooftune_exports* exports) {
  if (!exports) return 0;
  const std::lock_guard lock(exports->mutex);
  return exports->faults.size();
}

const char* rooftune_fault(const rooftune_exports* exports, size_t index) {
  if (!exports) return "";
  const std::lock_guard lock(exports->mutex);
  return index < exports->faults.size() ? exports->faults[index].c_str() : "";
}

rooftune_answer rooftune_look_up(const rooftune_exports* exports, const char* kernel,
                                 const char* machine, const rooftune_value* problem,
                                 size_t parameters) {
  static const Candidates none;
  const Candidates* const list = exports ? exports->newest.load() : nullptr;
  return look_up(list ? *list : none, kernel, machine, problem, parameters);
}

int64_t rooftune_knob_integer(const rooftune_answer* answer, const char* knob, int64_t fallback) {
  const Value* const value = knob_of(answer, knob);
  return value && value->is_integer() ? value->integer() : fallback;
}

double rooftune_knob_real(const rooftune_answer* answer, const char* knob, double fallback) {
  const Value* const value = knob_of(answer, knob);
  return value && (value->is_integer() || value->is_real()) ? value->real() : fallback;
}

int rooftune_knob_truth(const rooftune_answer* answer, const char* knob, int fallback) {
  const Value* const value = knob_of(answer, knob);
  return value && value->is_bool() ? value->truth() : fallback;
}

const char* rooftune_knob_text(const rooftune_answer* answer, const char* knob,
                               const char* fallback) {
  const Value* const value = knob_of(answer, knob);
  return value && value->is_text() ? value->text().c_str() : fallback;
}

size_t rooftune_knob_count(const rooftune_answer* answer) {
  const NamedValues* const knobs = knobs_of(answer);
  return knobs ? knobs->size() : 0;
}

rooftune_value rooftune_knob(const rooftune_answer* answer, size_t index) {
  if (index >= rooftune_knob_count(answer)) return rooftune_text("", "");
  const NamedValue& knob = (*knobs_of(answer))[index];
  const char* const name = knob.name.c_str();
  const Value& value = knob.value;
  if (value.is_bool()) return rooftune_truth(name, value.truth());
  if (value.is_integer()) return rooftune_integer(name, value.integer());
  if (value.is_real()) return rooftune_real(name, value.real());
  return rooftune_text(name, value.text().c_str());
}

const char* rooftune_match_text(int match) {
  static constexpr const char* texts[] = {"exact", "other problem", "other machine", "defaults"};
  return texts[match >= ROOFTUNE_EXACT && match < ROOFTUNE_DEFAULTS ? match : ROOFTUNE_DEFAULTS];
}
