#include "store/database.h"

#include "core/error.h"

namespace rooftune::store {
namespace {

std::string insertion(const std::string& table, int columns) {
  std::string marks = "?";
  for (int i = 1; i < columns; ++i) marks += ",?";
  return "INSERT INTO " + table + " VALUES (" + marks + ")";
}

}  // namespace

void fail(sqlite3* database) {
  throw Error(std::string("cannot write the index: ") + sqlite3_errmsg(database), {},
              "the records are whole; the index can be rebuilt at any time", ExitCode::io);
}

void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

Row::Row(sqlite3* database, const std::string& sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    fail(database);
  statement_.reset(statement);
}

Row::Row(sqlite3* database, const std::string& table, int columns)
    : Row(database, insertion(table, columns)) {}

Row& Row::text(const std::string& value) {
  return bound(sqlite3_bind_text64(statement_.get(), ++at_, value.data(), value.size(),
                                   SQLITE_TRANSIENT, SQLITE_UTF8));
}

Row& Row::integer(std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_.get(), ++at_, value));
}

Row& Row::real(std::optional<double> value) {
  ++at_;
  return bound(value ? sqlite3_bind_double(statement_.get(), at_, *value)
                     : sqlite3_bind_null(statement_.get(), at_));
}

void Row::run() {
  if (sqlite3_step(statement_.get()) != SQLITE_DONE) fail(database_);
  reset();
}

std::vector<std::vector<std::string>> Row::answer() {
  std::vector<std::vector<std::string>> rows;
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(statement_.get())) == SQLITE_ROW) {
    rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
      const unsigned char* text = sqlite3_column_text(statement_.get(), i);
      rows.back().emplace_back(text ? reinterpret_cast<const char*>(text) : "");
    }
  }
  if (result != SQLITE_DONE) fail(database_);
  reset();
  return rows;
}

void Row::reset() {
  sqlite3_reset(statement_.get());
  at_ = 0;
}

Row& Row::bound(int result) {
  if (result != SQLITE_OK) fail(database_);
  return *this;
}

}  // namespace rooftune::store
