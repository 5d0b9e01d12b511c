// XML and HTML text under construction: input is escaped and every element gets closed. The caller
// closes all it opens; `finish` asserts this.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/modules.h"

namespace rooftune::report {

/// plain_text with & < > " ' escaped: safe in text and attributes.
std::string escaped(std::string_view text);
/// A coordinate: at most two decimals, no exponent, no "-0". Not finite: 0 (never reaches a chart).
std::string coordinate(double value);

class Markup {
 public:
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  Markup& open(const std::string& tag, const Attributes& attributes = {});
  Markup& close();
  /// <tag .../>
  Markup& empty(const std::string& tag, const Attributes& attributes = {});
  /// <tag ...>text</tag>
  Markup& element(const std::string& tag, const Attributes& attributes, std::string_view text);
  Markup& text(std::string_view text);
  /// Finished markup (the answer of another Markup).
  Markup& raw(std::string_view markup);
  Markup& newline();
  std::string finish();

 private:
  void start(const std::string& tag, const Attributes& attributes);
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace rooftune::report
