#include "os/neighbours.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

#include "os/process_tree.h"

namespace rooftune::os {
namespace {

std::set<pid_t> own_processes() {
  std::set<pid_t> own;
  const std::function<void(pid_t)> add = [&](pid_t pid) {
    if (own.insert(pid).second) std::ranges::for_each(children(pid), add);
  };
  add(getpid());
  return own;
}

}  // namespace

Neighbours::Neighbours() : begin_(Clock::now()) {
  for (const pid_t pid : processes()) before_[pid] = process_cpu_seconds(pid);
}

std::vector<Neighbour> Neighbours::busy() const {
  const double span = std::chrono::duration<double>(Clock::now() - begin_).count();
  const std::set<pid_t> own = own_processes();
  std::vector<Neighbour> found;
  for (const pid_t pid : processes()) {
    const auto known = before_.find(pid);
    const double used = process_cpu_seconds(pid) - (known == before_.end() ? 0 : known->second);
    constexpr double least = 0.1;
    if (used >= least * span && span > 0 && !own.contains(pid))
      found.push_back({process_name(pid), pid, used / span});
  }
  std::ranges::sort(found, std::greater(), &Neighbour::cores);
  return found;
}

std::string to_text(const std::vector<Neighbour>& busy) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, busy.size()); ++i)
    text += fmt::format("{}{} (pid {}) {:.2f}", i > 0 ? ", " : "", busy[i].name, busy[i].pid,
                        busy[i].cores);
  return busy.size() > shown ? text + fmt::format(" and {} more", busy.size() - shown) : text;
}

}  // namespace rooftune::os
