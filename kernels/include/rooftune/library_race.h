// The choice of a variant for a problem unlike those that were timed: the library's variants and
// the untuned form are timed on it, for some milliseconds, and the fastest is kept.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <algorithm>
#include <chrono>
#include <fstream>
#include <locale>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "rooftune/library.h"

namespace rooftune_library {

/// Arrays in place of those that the kernel writes: a race leaves the application's as they are.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    for (const Array& one : all_) deallocated(one.start);
  }
  /// With the contents of `array` where the kernel reads it too. Throws std::bad_alloc.
  void* of(const void* array, double bytes, bool is_read) {
    const auto size = static_cast<std::size_t>(bytes);
    all_.push_back({nullptr, size});
    void* const own = all_.back().start = allocated(size, static_cast<int>(all_.size()), 0, false);
    if (!own) throw std::bad_alloc();
    if (is_read && size > 0) std::memcpy(own, array, size);
    return own;
  }
  /// Reads a byte of every line, as whoever goes on with the results: writing past the caches has
  /// its price there.
  void fetch() const {
    constexpr std::size_t line = 64, small = std::size_t{64} << 10;
    for (const Array& one : all_) {
      const volatile char* const bytes = static_cast<const char*>(one.start);
      if (one.size <= small) {
        for (std::size_t at = 0; at < one.size; at += line) (void)bytes[at];
        continue;
      }
#pragma omp parallel for schedule(static)
      for (std::size_t at = 0; at < one.size; at += line) (void)bytes[at];
    }
  }

 private:
  struct Array {
    void* start;
    std::size_t size;
  };
  std::vector<Array> all_;
};

/// "v1", or "v1 on one thread".
inline std::string entry_name(const char* variant, int most_threads) {
  return std::string(variant) + (most_threads == 1 ? " on one thread" : "");
}

/// The winners of earlier races, of this process and, where the variable <LIBRARY>_CHOICES names a
/// file of the application's user, of others. One line each: the library, threads, level, promises,
/// doublings of the expected calls, facts and the variant. A winner counts for problems with about
/// the same facts: sizes that change from call to call are raced now and then. The caller has the
/// turn.
class Choices {
 public:
  Choices(const Asked& asked, double calls) : asked_(asked) {
    std::ostringstream text = plain<std::ostringstream>();
    // The library's own name has a hash of its sources in it.
    text << "rooftune_library" << ' ' << most_threads() << ' ' << level() << ' ' << asked.promises
         << ' ' << std::ilogb(calls + 1);
    key_ = text.str() + ' ';
    if (!std::exchange(read_, true))
      if (const char* const file = this->file()) {
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);) all_.push_back(line);
      }
  }
  /// The winner's name; empty: there was no such race.
  std::string winner() const {
    std::vector<double> facts(static_cast<std::size_t>(asked_.count));
    for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
      if (one->compare(0, key_.size(), key_) != 0) continue;
      auto rest = plain<std::istringstream>(one->substr(key_.size()));
      for (double& fact : facts) rest >> fact;
      std::string name;
      if (std::getline(rest >> std::ws, name) &&
          is_same(distance(facts.data(), asked_.facts, asked_.count)))
        return name;
    }
    return {};
  }
  /// A file that cannot be written is none: the process remembers.
  void add(const std::string& winner) const {
    std::ostringstream text = plain<std::ostringstream>();
    text.precision(9);
    for (int i = 0; i < asked_.count; ++i) text << asked_.facts[i] << ' ';
    all_.push_back(key_ + text.str() + winner);
    if (const char* const file = this->file())
      std::ofstream(file, std::ios::app) << all_.back() + '\n' << std::flush;
  }

 private:
  /// Whatever the application's language is.
  template <class Stream, class... Text>
  static Stream plain(const Text&... text) {
    Stream stream(text...);
    stream.imbue(std::locale::classic());
    return stream;
  }
  const char* file() const {
    std::string variable = asked_.environment;
    variable.replace(variable.rfind("VARIANT"), 7, "CHOICES");
    const char* const named = std::getenv(variable.c_str());
    return named && *named ? named : nullptr;
  }

  static inline std::vector<std::string> all_;
  static inline bool read_ = false;
  const Asked& asked_;
  std::string key_;
};

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A variant in a race.
template <class Arguments>
class Rival {
 public:
  Rival(const Variant<Arguments>& variant, const Arguments& arguments, int most_threads,
        const Scratch& results)
      : results_(results) {
    const double begin = now();
    handle_ = std::make_unique<Handle<Arguments>>(variant, arguments, most_threads);
    preparation_ = now() - begin;
    // Not the first one, which touches memory.
    call();
    seconds_ = call();
  }
  /// The least of the samples of a call counts: whatever disturbs makes it longer.
  void go_on() {
    const int calls = static_cast<int>(std::clamp(sample / seconds_, 1.0, 1000.0));
    double sum = 0;
    for (int i = 0; i < calls; ++i) sum += call();
    seconds_ = std::min(seconds_, sum / calls);
  }
  double seconds() const { return seconds_; }
  /// Of so many calls; for 0 of one, preparation aside.
  double cost(double calls) const { return calls > 0 ? preparation_ + calls * seconds_ : seconds_; }
  const Variant<Arguments>& variant() const { return handle_->variant; }

 private:
  static constexpr double sample = 2e-4;
  double call() {
    const double begin = now();
    handle_->call(handle_->variant.run, handle_->arguments);
    results_.fetch();
    return now() - begin;
  }
  const Scratch& results_;
  std::unique_ptr<Handle<Arguments>> handle_;
  double preparation_ = 0, seconds_ = 0;
};

/// A variant by its place, and whether it is called by all threads or, for a small problem, by one.
struct Entry {
  int place = -1, most_threads = 0;
};

/// The fastest of these on `arguments`, with all threads or one: the untuned form, the last of
/// them, tells with how many first. Others must beat it by 3 %. Two layouts are there at a time.
/// The race ends with the variants, or after 50 ms and as long as 100 calls of the fastest so far.
template <class Arguments>
Entry fastest(const Variant<Arguments>* const* variants, const std::vector<int>& places,
              const Arguments& arguments, const Scratch& results, double calls,
              std::string& remark) {
  constexpr int rounds = 6;
  constexpr double margin = 0.97, least_time = 50e-3, most_calls = 100;
  const double begin = now();
  const auto at = [&](int place) -> const Variant<Arguments>& { return *variants[place]; };
  Entry entry{places.back(), 0};
  auto best = std::make_unique<Rival<Arguments>>(at(entry.place), arguments, 0, results);
  double untuned = best->seconds();
  const auto try_out = [&](const Entry& one) {
    if (now() - begin > least_time + most_calls * best->seconds()) return;
    try {
      auto other =
          std::make_unique<Rival<Arguments>>(at(one.place), arguments, one.most_threads, results);
      for (int round = 0; round < rounds && (round < 2 || other->seconds() < 2 * best->seconds());
           ++round) {
        other->go_on();
        best->go_on();
      }
      if (entry.place == places.back()) untuned = best->seconds();
      if (other->cost(calls) > margin * best->cost(calls)) return;
      best = std::move(other);
      entry = one;
    } catch (...) {
      // It keeps one problem, and has one, or there is no memory for it: the others are there.
    }
  };
  const bool alone = most_threads() == 1;
  if (!alone) try_out({places.back(), 1});
  const int threads = entry.most_threads;
  for (const int place : places)
    if (place != places.back()) try_out({place, threads});
  if (!alone) try_out({entry.place, 1 - threads});
  char text[80];
  std::snprintf(text, sizeof text, ": raced, %.3g of the untuned form's time",
                best->seconds() / untuned);
  remark = text;
  return entry;
}

/// Of an earlier race or of one now; no place: nobody knows how large the arrays are that are
/// written.
template <class Arguments>
Entry race(const Variant<Arguments>* const* variants, const std::vector<int>& places,
           const Arguments& arguments, const Asked& asked, double calls, std::string& remark) {
  const std::lock_guard lock(turn());
  const Choices choices(asked, calls);
  const std::string winner = choices.winner();
  remark = ": won an earlier race";
  for (const int one : places)
    for (const int threads : {0, 1})
      if (winner == entry_name(variants[one]->name, threads)) return {one, threads};
  Arguments own = arguments;
  Scratch scratch;
  if (!use_scratch(own, scratch)) return {};
  const Entry entry = fastest(variants, places, own, scratch, calls, remark);
  choices.add(entry_name(variants[entry.place]->name, entry.most_threads));
  return entry;
}

template <class Arguments>
struct Chosen {
  const Variant<Arguments>* variant = nullptr;
  int most_threads = 0;  ///< 1, or 0: its team's
};

/// The choice, and in `text` its name and how it came to be. `calls`: so many are expected;
/// 0: many.
template <class Arguments>
Chosen<Arguments> chosen(const Variant<Arguments>* const* variants, int count,
                         const Arguments& arguments, const Asked& asked, double calls,
                         std::atomic<bool>* told, char* text, std::size_t size) {
  const auto runs_here = [](const Variant<Arguments>& one) { return one.runs_here(); };
  const Choice near = nearest(variants, count, arguments, asked, runs_here,
                              [](const auto& one) { return one.machine_distance(); });
  const auto away = [&](int place) {
    const double* const facts = variants[place]->facts;
    return facts ? distance(facts, asked.facts, asked.count).most : HUGE_VAL;
  };
  describe(*variants[near.place], asked, text, size);
  if (near.reason == Choice::Reason::named ||
      (near.machine == 0 && away(near.place) <= std::log2(same_facts))) {
    tell(text, "", asked, told[near.place]);
    return {variants[near.place], 0};
  }
  std::vector<int> right;
  for (int i = 0; i < count; ++i)
    if (is_right(*variants[i], arguments, asked, runs_here)) right.push_back(i);
  // Promising ones first; the untuned form is the last one.
  std::stable_sort(right.begin(), right.end() - 1,
                   [&](int one, int other) { return away(one) < away(other); });
  std::string remark;
  Entry entry = race(variants, right, arguments, asked, calls, remark);
  if (entry.place < 0) {
    // Not to be timed here: one timed near by, or the untuned form.
    remark = right.size() > 1
                 ? ""
                 : ": no other is right for this machine, these arguments and promises";
    entry.place = away(near.place) <= std::log2(close_facts) ? near.place : right.back();
    describe(*variants[entry.place], asked, text, size);
  } else {
    std::snprintf(text, size, "%s, raced here",
                  entry_name(variants[entry.place]->name, entry.most_threads).c_str());
  }
  tell(text, remark.c_str(), asked, told[entry.place]);
  return {variants[entry.place], entry.most_threads};
}

/// One call of a kernel that prepares nothing, by what choose() gives; asked again by each thread
/// for other facts only.
template <class Arguments, class Choose>
void run_once(const Arguments& arguments, const Choose& choose) {
  static thread_local Chosen<Arguments> last;
  static thread_local double facts[sizeof arguments.facts_ / sizeof(double)];
  static thread_local int threads = 0;
  const int most = most_threads();
  if (!last.variant || threads != most || std::memcmp(facts, arguments.facts_, sizeof facts) != 0 ||
      !last.variant->fits(arguments)) {
    last = choose();
    threads = most;
    std::memcpy(facts, arguments.facts_, sizeof facts);
  }
  const TeamScope scope(last.variant->team,
                        last.most_threads == 1 ? 1 : threads_of(last.variant->team));
  last.variant->run(arguments);
}

}  // namespace rooftune_library
