// What the stand-ins for NVIDIA's driver and management library share: the words of FAKE_CUDA and
// the card's time.
#pragma once
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

namespace rooftune::test::fake_card {

/// The value of `word=` in FAKE_CUDA, or `otherwise`. Each launch asks for several: the text is
/// taken apart where it changed.
inline std::string said(const char* word, const char* otherwise) {
  static std::mutex mutex;
  static std::string known;
  static std::map<std::string, std::string, std::less<>> values;
  const std::lock_guard lock(mutex);
  const char* const set = std::getenv("FAKE_CUDA");
  if (const std::string_view text = set ? set : ""; text != known) {
    known = text;
    values.clear();
    std::istringstream words(known);
    for (std::string each; words >> each;)
      if (const std::size_t equal = each.find('='); equal != std::string::npos)
        values.emplace(each.substr(0, equal), each.substr(equal + 1));
  }
  const auto found = values.find(std::string_view(word));
  return found == values.end() ? otherwise : found->second;
}

inline int number(const char* word, const char* otherwise = "0") {
  return std::atoi(said(word, otherwise).c_str());
}

inline double milliseconds = 0;  ///< of all launches so far

}  // namespace rooftune::test::fake_card
