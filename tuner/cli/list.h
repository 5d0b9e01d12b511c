// What `tune list` can list: a table that extensions add to.
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"

namespace rooftune::cli {

/// Rows of texts: the first row holds the names of the columns.
using Table = std::vector<std::vector<std::string>>;

struct Listing {
  const char* name;
  Table (*rows)(const ListOptions& options);
};
/// Before anything is parsed.
void add_listing(const Listing& listing);
std::vector<std::string> listings();

}  // namespace rooftune::cli
