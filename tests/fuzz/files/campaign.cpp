// A campaign against every reader: damages samples for as long as it is told and keeps what breaks.
// Build it with sanitizers, and look at the folder of findings.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "mutator.h"
#include "readers.h"

using namespace rooftune;
using namespace rooftune::fuzz;

namespace {

/// What the sanitizers find ends in SIGABRT, whose handler keeps the input.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:strict_string_checks=1:detect_stack_use_after_return=1:"
         "hard_rss_limit_mb=2000:allocator_may_return_null=0";
}
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

using Clock = std::chrono::steady_clock;

/// An input that a reader computes on for so long is a finding, and one that it waits at: a machine
/// that is suspended or busy makes none.
constexpr unsigned patience_seconds = 30, waiting_seconds = 1200;
constexpr std::size_t most_kept = 400;

/// What is being read, for the handler of signals.
std::string current, current_file;

void keep_current() {
  std::FILE* const file = std::fopen(current_file.c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(current.data(), 1, current.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "finding kept: %s\n", current_file.c_str());
}

extern "C" void on_signal(int number) {
  std::fprintf(stderr, "signal %d\n", number);
  keep_current();
  _exit(3);
}

/// Until a signal: seconds of computing, and of time; 0: none comes.
void be_patient(unsigned computing, unsigned waiting) {
  const itimerval timer{{}, {computing, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(waiting);
}

class Campaign {
 public:
  Campaign(const Reader& reader, std::filesystem::path findings)
      : reader_(reader), findings_(std::move(findings)), pool_(reader.samples()) {
    for (const auto& [name, text] : corpus(reader.name)) pool_.push_back(text);
    originals_ = pool_;
    samples_ = pool_.size();
  }
  /// One damaged input; numbers are those of (seed, round).
  void round(std::uint64_t seed, std::uint64_t number);
  std::string summary() const {
    return fmt::format("{:<16} {:>8} inputs, {:>7} accepted, {:>5} kinds of answers, {} findings",
                       reader_.name, inputs_, accepted_, kinds_.size(), found_);
  }
  std::size_t found() const { return found_; }
  std::uint64_t inputs() const { return inputs_; }

 private:
  std::string answer(const std::string& text);
  const Reader& reader_;
  std::filesystem::path findings_;
  std::vector<std::string> originals_, pool_;  ///< the pool holds what led to new answers, too
  std::size_t samples_ = 0, found_ = 0;
  std::uint64_t inputs_ = 0, accepted_ = 0;
  std::set<std::string> kinds_;
};

std::string Campaign::answer(const std::string& text) {
  try {
    reader_.read(text);
    ++accepted_;
    return "accepted";
  } catch (const Error& error) {
    return kind_of(error.message());
  } catch (const std::exception& fault) {
    ++found_;
    fmt::print(stderr, "{}: {}\n", reader_.name, fault.what());
    keep_current();
    return std::string("fault: ") + fault.what();
  }
}

void Campaign::round(std::uint64_t seed, std::uint64_t number) {
  Rng rng(seed, number);
  const bool fresh_sample = rng.below(2) == 0;
  std::string text = damaged(fresh_sample ? originals_ : pool_, rng);
  const std::string plain = text;
  if (reader_.compressed) text = packed(text);
  if (reader_.compressed && rng.below(3) == 0) text = damaged_bytes(text, rng);
  current = text;
  current_file = (findings_ / fmt::format("{}.{}.{}", reader_.name, seed, number)).string();
  be_patient(patience_seconds, waiting_seconds);
  const auto begin = Clock::now();
  const std::string kind = answer(text);
  be_patient(0, 0);
  ++inputs_;
  const bool quick = Clock::now() - begin < std::chrono::milliseconds(200);
  const bool fresh = kinds_.insert(kind).second;
  if ((!fresh && (kind != "accepted" || rng.below(50) != 0)) || !quick) return;
  if (pool_.size() < samples_ + most_kept)
    pool_.push_back(plain);
  else
    pool_[samples_ + rng.below(most_kept)] = plain;
}

int usage() {
  fmt::print(stderr, "fuzz_campaign SECONDS SEED FINDINGS [READER...]\nreaders:");
  for (const Reader& reader : readers()) fmt::print(stderr, " {}", reader.name);
  fmt::print(stderr, "\n");
  return 2;
}

/// Turns of a few dozen inputs each, so that every reader gets its share of any stretch of time.
int mutate(double seconds, std::uint64_t seed, const std::filesystem::path& findings,
           const std::set<std::string>& chosen) {
  std::vector<Campaign> campaigns;
  for (const Reader& reader : readers())
    if (chosen.empty() || chosen.count(reader.name) != 0) campaigns.emplace_back(reader, findings);
  if (campaigns.empty()) return usage();
  const auto begin = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (std::uint64_t turn = 0; spent() < seconds; ++turn)
    for (Campaign& campaign : campaigns) {
      const double until = spent() + 0.2;
      for (std::uint64_t i = 0; i < 1000 && spent() < until; ++i)
        campaign.round(seed, campaign.inputs());
    }
  std::uint64_t inputs = 0;
  std::size_t found = 0;
  for (const Campaign& campaign : campaigns) {
    fmt::print("{}\n", campaign.summary());
    inputs += campaign.inputs();
    found += campaign.found();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} inputs in {:.0f} s, {} findings, peak {} MB\n", inputs, spent(), found,
             usage.ru_maxrss >> 10);
  return found == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return usage();
  signal(SIGPROF, on_signal);
  signal(SIGALRM, on_signal);
  signal(SIGABRT, on_signal);
  try {
    const std::filesystem::path findings = words[3];
    std::filesystem::create_directories(findings);
    return mutate(std::stod(words[1]), std::stoull(words[2]), findings,
                  std::set<std::string>(words + 4, words + count));
  } catch (const std::exception& fault) {
    fmt::print(stderr, "fuzz_campaign: {}\n", fault.what());
    return 2;
  }
}
