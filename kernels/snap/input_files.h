// Readers of positions and coefficients that name line and field of what is wrong.
// Positions: "# key=value ..." with box=, or a= and ncell=, and optionally rcut= and 2J=; then x y
// z per line. Coefficients: one number per line; lines that start with # are comments.
#pragma once
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "lattice.h"
#include "rooftune/problem_input.h"

namespace snap {

inline std::string text(double value) {
  std::ostringstream out;
  out.precision(12);
  out << value;
  return out.str();
}

/// Lines of a numeric file.
class NumberLines {
 public:
  NumberLines(rooftune::Problem& problem, const std::string& path)
      : problem_(problem), path_(path), file_(path) {
    if (!file_) refuse(problem, "cannot be read", path, "");
  }

  /// The next line that is not blank: its words; comments as one word that starts with #.
  bool next(std::vector<std::string>& words) {
    std::string line;
    while (std::getline(file_, line)) {
      ++line_;
      words.clear();
      std::istringstream in(line);
      for (std::string word; in >> word;) words.push_back(word);
      if (!words.empty()) return true;
    }
    return false;
  }

  double number(const std::string& word, const std::string& field) const {
    char* rest = nullptr;
    const double value = std::strtod(word.c_str(), &rest);
    if (rest == word.c_str() || *rest != '\0')
      fail(field + " \"" + word.substr(0, 40) + "\" is no number", "");
    if (!std::isfinite(value)) fail(field + " \"" + word.substr(0, 40) + "\" is not finite", "");
    return value;
  }

  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    refuse(problem_, message, path_ + ":" + std::to_string(line_), hint);
  }

  int line() const { return line_; }

 private:
  rooftune::Problem& problem_;
  std::string path_;
  std::ifstream file_;
  int line_ = 0;
};

struct PositionFile {
  std::string path;
  Crystal crystal;
  double cutoff = 0;  ///< 0: not in the file
};

/// key=value words of a comment line.
inline void read_header(const NumberLines& lines, const std::vector<std::string>& words,
                        std::map<std::string, double>& header) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = word.substr(word[0] == '#' ? 1 : 0, equals - (word[0] == '#' ? 1 : 0));
    header[key] = lines.number(word.substr(equals + 1), key);
  }
}

inline void check_header(const NumberLines& lines, const std::map<std::string, double>& header,
                         int twojmax, PositionFile& file) {
  const auto value = [&](const char* key) {
    const auto found = header.find(key);
    return found == header.end() ? 0 : found->second;
  };
  file.crystal.edge = header.count("box") ? value("box") : value("a") * value("ncell");
  if (!(file.crystal.edge > 0))
    lines.fail("the edge of the periodic box is missing or not positive",
               "a first line like: # a=3.1803 ncell=10, or # box=31.803");
  if (header.count("2J") && value("2J") != twojmax)
    lines.fail("2J=" + text(value("2J")) + ", but twojmax is " + std::to_string(twojmax),
               "--problem twojmax=" + text(value("2J")));
  if (header.count("rcut") && !(value("rcut") > 0)) lines.fail("rcut is not positive", "");
  file.cutoff = value("rcut");
}

inline PositionFile read_positions(rooftune::Problem& p, const std::string& path, int twojmax) {
  PositionFile file;
  file.path = path;
  NumberLines lines(p, path);
  std::vector<std::string> words;
  std::map<std::string, double> header;
  bool checked = false;
  while (lines.next(words)) {
    if (words[0][0] == '#') {
      read_header(lines, words, header);
      continue;
    }
    if (!checked) check_header(lines, header, twojmax, file);
    checked = true;
    const char* const fields[] = {"x", "y", "z"};
    for (std::size_t c = 0; c < 3; ++c) {
      if (c >= words.size()) lines.fail(std::string(fields[c]) + " is missing", "x y z per line");
      file.crystal.positions.push_back(lines.number(words[c], fields[c]));
    }
    if (words.size() > 3) lines.fail("unexpected \"" + words[3].substr(0, 40) + "\" after z", "");
  }
  if (!checked) lines.fail("there are no positions", "x y z per line");
  return file;
}

inline std::vector<double> read_coefficients(rooftune::Problem& p, const std::string& path,
                                             int twojmax, int wanted) {
  NumberLines lines(p, path);
  std::vector<std::string> words;
  std::vector<double> values;
  const std::string need = "2J=" + std::to_string(twojmax) + " takes " + std::to_string(wanted) +
                           " numbers: the constant term and " + std::to_string(wanted - 1) +
                           " coefficients";
  while (lines.next(words)) {
    if (words[0][0] == '#') continue;
    for (const std::string& word : words) {
      const std::string field = "coefficient " + std::to_string(values.size());
      if (static_cast<int>(values.size()) == wanted)
        lines.fail("one coefficient too many: " + word.substr(0, 40), need);
      values.push_back(lines.number(word, field));
    }
  }
  if (static_cast<int>(values.size()) < wanted)
    lines.fail("coefficient " + std::to_string(values.size()) + " is missing", need);
  return values;
}

}  // namespace snap
