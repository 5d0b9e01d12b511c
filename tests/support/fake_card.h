// What the stand-ins for NVIDIA's driver and management library share: the words of FAKE_CUDA and
// the card's time.
#pragma once
#include <cstdlib>
#include <string>

namespace rooftune::test::fake_card {

/// The value of `word=` in FAKE_CUDA, or `otherwise`.
inline std::string said(const char* word, const char* otherwise) {
  const char* text = std::getenv("FAKE_CUDA");
  const std::string all = std::string(" ") + (text ? text : "");
  const std::string mark = std::string(" ") + word + "=";
  const std::size_t at = all.find(mark);
  if (at == std::string::npos) return otherwise;
  const std::size_t begin = at + mark.size();
  return all.substr(begin, all.find(' ', begin) - begin);
}

inline int number(const char* word, const char* otherwise = "0") {
  return std::atoi(said(word, otherwise).c_str());
}

inline double milliseconds = 0;  ///< of all launches so far
inline double spent_millijoules = 0;

/// A launch of so many threads took so long [ms]: at 250.5 W, or "hot=N" times that where it has
/// less than "cool=N" threads.
inline void spend(double launch_milliseconds, double threads) {
  milliseconds += launch_milliseconds;
  spent_millijoules +=
      250.5 * launch_milliseconds * (threads < number("cool") ? number("hot", "1") : 1);
}

}  // namespace rooftune::test::fake_card
