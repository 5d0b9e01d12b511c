// Lists, texts and words between blanks, asked and joined in one call each.
#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/modules.h"

namespace rooftune::core {

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
/// Lists of the same length: a round in a race, say.
using NumberRows = std::vector<Numbers>;
using Integers = std::vector<int>;
/// Places in another list.
using Indices = std::vector<size_t>;
/// Texts under names, in the order they were added.
using TextPairs = std::vector<std::pair<std::string, std::string>>;
using TextSet = std::set<std::string>;
template <class T>
using ByName = std::map<std::string, T>;
/// By names: environment variables, formulas; rates, figures.
using NamedTexts = ByName<std::string>;
using NamedNumbers = ByName<double>;
using Paths = std::vector<fs::path>;
/// Contents by file, in a folder to be written.
using FileTexts = std::map<fs::path, std::string>;

// These are function objects, so their names find no namesake for iterators.
using std::ranges::all_of, std::ranges::any_of, std::ranges::none_of;
using std::ranges::count_if, std::ranges::find_if, std::ranges::max_element,
    std::ranges::min_element, std::ranges::sort, std::ranges::stable_sort;

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}
inline bool contains(std::string_view text, char one) { return text.find(one) != text.npos; }
inline bool has_any_of(std::string_view text, std::string_view characters) {
  return text.find_first_of(characters) != text.npos;
}
inline bool is_only_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}
/// Whether the predicate holds for any word; single blanks separate the words.
template <class Predicate>
bool any_word(std::string_view words, const Predicate& holds) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (holds(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}
inline bool is_among(std::string_view word, std::string_view words) {
  return any_word(words, [&](std::string_view one) { return one == word; });
}
/// Whether the text begins with any word.
inline bool begins(std::string_view text, std::string_view words) {
  return any_word(words, [&](std::string_view one) { return text.starts_with(one); });
}

/// A range that is no text.
template <class T>
concept IsList = std::ranges::input_range<T> && !std::is_convertible_v<const T&, std::string_view>;
/// Whether any element, or its member, is equal to `one`.
template <IsList List, class Element, class Member = std::identity>
bool contains(const List& list, const Element& one, Member member = {}) {
  return std::ranges::find(list, one, member) != std::ranges::end(list);
}
/// The first element that the predicate holds for; nullptr without one.
template <class List>
auto* first_where(List& list, const auto& holds) {
  const auto found = std::ranges::find_if(list, holds);
  return found == std::ranges::end(list) ? nullptr : &*found;
}
/// The first element whose member has that value; nullptr without one.
template <class List>
auto* first_with(List& list, auto member, const auto& value) {
  return first_where(list, [&](const auto& one) { return std::invoke(member, one) == value; });
}
/// That member of each element: all knob names.
template <class Member>
auto members(const auto& list, Member member) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Member, decltype(*list.begin())>>> all;
  for (const auto& one : list) all.push_back(std::invoke(member, one));
  return all;
}
/// The elements that pass, in their order.
template <class List>
std::vector<std::ranges::range_value_t<List>> filtered(const List& list, auto passes) {
  std::vector<std::ranges::range_value_t<List>> all;
  for (const auto& one : list)
    if (std::invoke(passes, one)) all.push_back(one);
  return all;
}
/// A map's keys, in order.
template <class Map>
std::vector<typename Map::key_type> keys_of(const Map& map) {
  return {std::views::keys(map).begin(), std::views::keys(map).end()};
}
/// A key's value; nullptr where the map has none.
template <class Map>
auto* value_at(Map& map, const auto& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// The same as a copy; nullopt where the map has none.
template <class Map>
std::optional<typename Map::mapped_type> copy_at(const Map& map, const auto& key) {
  const auto* const found = value_at(map, key);
  return found ? std::optional(*found) : std::nullopt;
}

/// Puts it behind the others, unless it is there.
template <class List>
void add_once(List& list, typename List::value_type one) {
  if (!contains(list, one)) list.push_back(std::move(one));
}

/// Where equal elements stand beside each other, the first stays.
void drop_repeats(auto& list) { list.erase(std::unique(list.begin(), list.end()), list.end()); }

/// 0 to the list's last place, as long as it is now.
auto indices(const auto& list) { return std::views::iota(size_t{0}, list.size()); }

/// 0 to `count` - 1, to be put in another order.
inline Indices all_places(size_t count) {
  Indices all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

/// Joins all into one text, with `between` between them.
std::string joined(const IsList auto& parts, std::string_view between = ", ") {
  std::string all;
  bool first = true;
  for (const std::string_view part : parts) {
    if (!std::exchange(first, false)) all += between;
    all += part;
  }
  return all;
}

/// Puts `part` behind the parts in `all`.
inline void join(std::string& all, std::string_view part, std::string_view between = ", ") {
  if (!all.empty()) all += between;
  all += part;
}
template <class More, class List>
concept IsOtherList =
    std::ranges::input_range<More> && !std::is_convertible_v<const More&, const List&>;
/// Puts the elements from `more` behind those in `list`.
template <class List>
void append(List& list, const std::type_identity_t<List>& more) {
  list.insert(list.end(), more.begin(), more.end());
}
template <class List, IsOtherList<List> More>
void append(List& list, const More& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace rooftune::core
