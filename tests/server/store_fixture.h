// A store in memory, and statements as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memory_file_system.h"
#include "server/store.h"

namespace wherestar::server {

StoreOptions memory_store(FileSystem& fs);

// Rows as lines, values joined by " | "; NULL as NULL. An error as "error: message".
std::string render(Result<ExecuteResult> result);
std::string run(Session& session, std::string_view sql, std::vector<SqlValue> arguments = {});

struct TestStore {
  MemoryFileSystem fs;
  std::unique_ptr<Store> store;
  std::unique_ptr<Session> session;

  TestStore();
  void reopen();
  std::string operator()(std::string_view sql, std::vector<SqlValue> arguments = {}) {
    return run(*session, sql, std::move(arguments));
  }
};

}  // namespace wherestar::server
