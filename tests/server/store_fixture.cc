#include "store_fixture.h"

#include <doctest/doctest.h>

namespace wherestar::server {

StoreOptions memory_store(FileSystem& fs) {
  StoreOptions options;
  options.file_system = &fs;
  options.cache_bytes = 8 << 20;
  options.background_threads = false;
  options.lock_wait_timeout_ms = 1;
  return options;
}

std::string render(Result<ExecuteResult> result) {
  if (!result) return "error: " + result.error().message;
  if (!result->rows) return "ok " + std::to_string(result->rows_affected);
  std::string out;
  for (;;) {
    auto row = result->rows->next();
    if (!row) return "error: " + row.error().message;
    if (!*row) break;
    if (!out.empty()) out += "\n";
    for (size_t i = 0; i < (*row)->size(); ++i) {
      const SqlValue& value = (**row)[i];
      if (i > 0) out += " | ";
      out += value.is_null()                  ? "NULL"
             : value.type() == SqlType::kJson ? value.json_as_text()
                                              : to_text(value);
    }
  }
  return out;
}

std::string run(Session& session, std::string_view sql, std::vector<SqlValue> arguments) {
  return render(session.execute_sql(sql, arguments));
}

TestStore::TestStore() {
  reopen();
  REQUIRE(run(*session, "CREATE DATABASE shop") == "ok 1");
  REQUIRE(run(*session, "USE shop") == "ok 0");
}

void TestStore::reopen() {
  session.reset();
  store.reset();
  auto opened = Store::open("/data", memory_store(fs));
  if (!opened) FAIL(opened.error().message);
  store = *std::move(opened);
  session = store->make_session({}).value();
}

}  // namespace wherestar::server
