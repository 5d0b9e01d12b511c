// Reads Matrix Market files (Boisvert, Pozo, Remington: NISTIR 5935) into triplets.
// The caller gives a path; whatever is wrong with the file ends in Problem::fail with file and
// line.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "limits.h"
#include "text_cursor.h"
#include "triplets.h"

namespace spmv_kernel {

struct MatrixMarketHeader {
  bool array = false;  ///< dense, column by column
  enum class Field { real, integer, pattern } field = Field::real;
  enum class Symmetry { general, symmetric, skew } symmetry = Symmetry::general;
};

/// The whole file and a NUL byte behind it.
inline std::vector<char> file_text(rooftune::Problem& p, const char* path) {
  // A pipe that nobody writes to would keep open() waiting.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0)
    refuse(p, "cannot read the matrix: " + std::string(std::strerror(errno)), path, "");
  if (S_ISDIR(status.st_mode))
    refuse(p, "this is a directory, not a matrix", path, "name a .mtx file");
  if (!S_ISREG(status.st_mode))
    refuse(p, "this is a pipe or a device, not a matrix", path, "name a .mtx file");
  check_memory(p, static_cast<double>(status.st_size), "the file needs", path, "a smaller matrix");
  std::vector<char> text(static_cast<std::size_t>(status.st_size) + 1);
  std::size_t size = 0;
  for (;;) {
    if (size + 1 >= text.size()) text.resize(text.size() * 2 + 4096);
    const ssize_t got = read(file, text.data() + size, text.size() - 1 - size);
    if (got < 0) refuse(p, std::strerror(errno), path, "");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  close(file);
  text.resize(size + 1);
  text[size] = '\0';
  return text;
}

class MatrixMarketReader {
 public:
  MatrixMarketReader(rooftune::Problem& p, const char* path)
      : problem_(p),
        path_(path),
        text_(file_text(p, path)),
        cursor_(p, path, text_.data(), text_.data() + text_.size() - 1) {}

  Triplets read() {
    read_header();
    read_sizes();
    if (header_.array)
      read_array();
    else
      read_entries();
    if (cursor_.next_entry())
      cursor_.fail("more entries than the " + number(static_cast<double>(entries_)) + " announced",
                   "correct the count in the size line, or remove the rest");
    return std::move(matrix_);
  }

 private:
  using Field = MatrixMarketHeader::Field;
  using Symmetry = MatrixMarketHeader::Symmetry;

  std::vector<std::string> header_words() {
    std::vector<std::string> words(1);
    for (const char c : cursor_.rest_of_line()) {
      if (c == ' ' || c == '\t') {
        if (!words.back().empty()) words.emplace_back();
      } else {
        words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
    }
    if (words.back().empty()) words.pop_back();
    return words;
  }

  [[noreturn]] void refuse_header(const std::string& message) const {
    refuse(problem_, message, std::string(path_) + ":1",
           "\"%%MatrixMarket matrix coordinate real general\", or array for coordinate, integer "
           "or pattern for real, symmetric or skew-symmetric for general");
  }

  void read_header() {
    if (text_.size() > 2 && text_[0] == '\x1f' && text_[1] == '\x8b')
      refuse(problem_, "this file is compressed by gzip", path_,
             "gunzip it first; tar xf for a .tar.gz");
    const std::vector<std::string> words = header_words();
    if (words.empty() || words[0] != "%%matrixmarket")
      refuse_header("this is no Matrix Market file: the first line must start with %%MatrixMarket");
    if (words.size() != 5) refuse_header("the header must have five words");
    if (words[1] != "matrix") refuse_header("the object \"" + words[1] + "\" is no matrix");
    header_.array = words[2] == "array";
    if (!header_.array && words[2] != "coordinate")
      refuse_header("unknown format \"" + words[2] + "\"");
    read_field(words[3]);
    if (words[4] == "symmetric")
      header_.symmetry = Symmetry::symmetric;
    else if (words[4] == "skew-symmetric")
      header_.symmetry = Symmetry::skew;
    else if (words[4] == "hermitian")
      refuse_header("hermitian matrices are complex; this kernel computes with real numbers");
    else if (words[4] != "general")
      refuse_header("unknown symmetry \"" + words[4] + "\"");
    if (header_.field == Field::pattern && (header_.array || header_.symmetry == Symmetry::skew))
      refuse_header("a pattern has no values, so it can be neither an array nor skew-symmetric");
  }

  void read_field(const std::string& word) {
    if (word == "complex") refuse_header("complex values; this kernel computes with real numbers");
    if (word == "integer")
      header_.field = Field::integer;
    else if (word == "pattern")
      header_.field = Field::pattern;
    else if (word != "real" && word != "double" && word != "general")
      // Some writers say "double", or repeat "general" here: both mean real values.
      refuse_header("unknown field \"" + word + "\"");
  }

  void read_sizes() {
    if (!cursor_.next_entry())
      cursor_.fail("the line with the sizes is missing", "rows columns entries");
    const std::int64_t rows = cursor_.whole("the number of rows");
    const std::int64_t cols = cursor_.whole("the number of columns");
    if (!header_.array && cursor_.at_line_end())
      cursor_.fail("the number of entries is missing",
                   "rows columns entries; for a dense matrix the header says array");
    entries_ = header_.array ? 0 : cursor_.whole("the number of entries");
    if (rows < 0 || cols < 0 || entries_ < 0)
      cursor_.fail("a size is negative", "rows columns entries, each at least 0");
    if (header_.symmetry != Symmetry::general && rows != cols)
      cursor_.fail("the header says symmetric, but the matrix has " +
                       number(static_cast<double>(rows)) + " rows and " +
                       number(static_cast<double>(cols)) + " columns",
                   "use general for a rectangular matrix");
    matrix_.rows = rows;
    matrix_.cols = cols;
    check_count();
    cursor_.end_line("the sizes");
  }

  /// Refuses what cannot be before memory is taken for it.
  void check_count() {
    const auto rows = static_cast<double>(matrix_.rows), cols = static_cast<double>(matrix_.cols);
    const bool general = header_.symmetry == Symmetry::general;
    if (header_.array) {
      const double diagonal = header_.symmetry == Symmetry::skew ? -1 : 1;
      const double stored = general ? rows * cols : rows * (rows + diagonal) / 2;
      check_room(stored, 2);
      entries_ = static_cast<std::int64_t>(stored);
    } else {
      check_room(static_cast<double>(entries_), header_.field == Field::pattern ? 4 : 6);
    }
    const double most = static_cast<double>(entries_) * (general ? 1 : 2);
    const std::string where = std::string(path_) + ": size line";
    check_size(problem_, rows, cols, most, most, where);
    matrix_.reserve(static_cast<std::size_t>(most));
  }

  /// Each entry takes at least `bytes` characters with its line end; the last may lack that.
  void check_room(double entries, double bytes) const {
    const double room = (static_cast<double>(cursor_.left()) + 1) / bytes;
    if (entries > room)
      cursor_.fail(number(entries) + " entries are announced, but the file has room for at most " +
                       number(std::floor(room)),
                   "the file is truncated, or the size line is wrong");
  }

  [[noreturn]] void too_few(std::int64_t found) const {
    cursor_.fail("the file ends after " + number(static_cast<double>(found)) + " of " +
                     number(static_cast<double>(entries_)) + " entries",
                 "the file is truncated, or the size line is wrong");
  }

  double value() {
    switch (header_.field) {
      case Field::pattern:
        return 1.0;
      case Field::integer:
        return cursor_.whole_as_real("the value");
      case Field::real:
        break;
    }
    return cursor_.real("the value");
  }

  std::int64_t index(const char* what, std::int64_t count) {
    const std::int64_t one_based = cursor_.whole(what);
    if (one_based < 1 || one_based > count)
      cursor_.fail(std::string(what) + " " + number(static_cast<double>(one_based)) +
                       " is not in 1.." + number(static_cast<double>(count)),
                   one_based == 0 ? "Matrix Market counts from 1" : "");
    return one_based - 1;
  }

  void add(std::int64_t i, std::int64_t j, double v) {
    matrix_.add(i, j, v);
    if (header_.symmetry == Symmetry::general || i == j) return;
    matrix_.add(j, i, header_.symmetry == Symmetry::skew ? -v : v);
  }

  void check_triangle(std::int64_t i, std::int64_t j) const {
    if (j > i)
      cursor_.fail("an entry above the diagonal in a symmetric file",
                   "store the lower triangle only, or say general");
    if (header_.symmetry == Symmetry::skew && i == j)
      cursor_.fail("a diagonal entry in a skew-symmetric file",
                   "the diagonal is zero: leave it out");
  }

  void read_entries() {
    const bool general = header_.symmetry == Symmetry::general;
    for (std::int64_t k = 0; k < entries_; ++k) {
      if (!cursor_.next_entry()) too_few(k);
      const std::int64_t i = index("row", matrix_.rows);
      const std::int64_t j = index("column", matrix_.cols);
      if (!general) check_triangle(i, j);
      add(i, j, value());
      cursor_.end_line("the entry");
    }
  }

  void read_array() {
    const bool general = header_.symmetry == Symmetry::general;
    const std::int64_t below = header_.symmetry == Symmetry::skew ? 1 : 0;
    std::int64_t found = 0;
    for (std::int64_t j = 0; j < matrix_.cols; ++j)
      for (std::int64_t i = general ? 0 : j + below; i < matrix_.rows; ++i, ++found) {
        if (!cursor_.next_entry()) too_few(found);
        add(i, j, value());
      }
    if (matrix_.rows > 0 && matrix_.cols > 0 && found > 0) cursor_.end_line("the value");
  }

  rooftune::Problem& problem_;
  const char* path_;
  std::vector<char> text_;
  TextCursor cursor_;
  MatrixMarketHeader header_;
  std::int64_t entries_ = 0;
  Triplets matrix_;
};

}  // namespace spmv_kernel
