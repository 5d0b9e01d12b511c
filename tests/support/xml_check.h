// A check that a text is well-formed XML as far as charts and pages use it: tags nest, attributes
// are quoted and unique, entities are known, no stray < or &. Independent of report/markup.
#pragma once
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace rooftune::sample {

class XmlCheck {
 public:
  explicit XmlCheck(const std::string& text) : text_(text) {}

  /// Empty when the text is well-formed, else what is wrong and where.
  std::string fault() {
    if (peek("<!DOCTYPE html>")) at_ += 15;
    while (fault_.empty() && at_ < text_.size()) step();
    if (fault_.empty() && !open_.empty()) fail("<" + open_.back() + "> is not closed");
    if (fault_.empty() && roots_ != 1) fail("not exactly one root element");
    return fault_;
  }

 private:
  bool peek(const std::string& word) const { return text_.compare(at_, word.size(), word) == 0; }
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what + " at byte " + std::to_string(at_);
  }
  void step() {
    const char c = text_[at_];
    if (c == '&') return entity();
    if (c != '<') {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 && c != '\n' && c != '\t') fail("control character");
      if (open_.empty() && !std::isspace(byte)) fail("text outside the root");
      ++at_;
      return;
    }
    if (peek("<![CDATA[")) return plain();
    if (peek("</")) return closing();
    opening();
  }
  void plain() {
    const std::size_t end = text_.find("]]>", at_);
    if (end == std::string::npos || open_.empty()) return fail("CDATA that does not end");
    // A browser reads a script as it stands: what would end it must not be inside.
    if (text_.substr(at_, end - at_).find("</") != std::string::npos) fail("a tag in CDATA");
    at_ = end + 3;
  }
  void entity() {
    for (const char* known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (peek(known)) {
        at_ += std::string(known).size();
        return;
      }
    fail("unknown entity");
  }
  std::string name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    if (at_ == start) fail("a name is missing");
    return text_.substr(start, at_ - start);
  }
  void closing() {
    at_ += 2;
    const std::string tag = name();
    if (open_.empty() || open_.back() != tag) return fail("</" + tag + "> closes nothing");
    open_.pop_back();
    if (at_ >= text_.size() || text_[at_++] != '>') fail("> is missing");
  }
  void opening() {
    ++at_;
    const std::string tag = name();
    if (open_.empty()) ++roots_;
    std::set<std::string> seen;
    while (fault_.empty()) {
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      if (at_ >= text_.size()) return fail("a tag does not end");
      if (text_[at_] == '>') {
        ++at_;
        open_.push_back(tag);
        return;
      }
      if (peek("/>")) {
        at_ += 2;
        return;
      }
      attribute(seen);
    }
  }
  void attribute(std::set<std::string>& seen) {
    const std::string key = name();
    if (!seen.insert(key).second) return fail("attribute " + key + " twice");
    if (!peek("=\"")) return fail("attribute " + key + " is not quoted");
    at_ += 2;
    while (at_ < text_.size() && text_[at_] != '"' && fault_.empty()) {
      if (text_[at_] == '<') fail("< in an attribute");
      if (text_[at_] == '&')
        entity();
      else
        ++at_;
    }
    ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::string> open_;
  std::string fault_;
};

inline std::string xml_fault(const std::string& text) { return XmlCheck(text).fault(); }

}  // namespace rooftune::sample
