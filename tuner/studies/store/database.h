// A database of SQLite and one statement of it; every fault is an Error.
#pragma once
#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::store {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// Throws Error (ExitCode::io) with what SQLite complains of.
[[noreturn]] void fail(sqlite3* database);
void execute(sqlite3* database, const char* sql);

/// One statement; values are bound in order, then `run` or `answer` runs it.
class Row {
 public:
  Row(sqlite3* database, const std::string& sql);
  /// Inserts into a table of so many columns.
  Row(sqlite3* database, const std::string& table, int columns);
  Row& text(const std::string& value);
  Row& integer(std::int64_t value);
  Row& real(std::optional<double> value);
  void run();
  /// The columns of each row as texts.
  std::vector<std::vector<std::string>> answer();

 private:
  struct Finish {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void reset();
  Row& bound(int result);

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
  int at_ = 0;
};

}  // namespace rooftune::store
