// Any-path queries on products, in process: usage: search_bench DOCUMENTS.jsonl EMPTY_FOLDER
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "server/store.h"

namespace {

using namespace wherestar;
using server::SqlValue;

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

void load(server::Session& session, const char* file) {
  must(session.execute_sql("CREATE DATABASE shop", {}));
  must(session.execute_sql("CREATE COLLECTION shop.products", {}));
  std::ifstream in(file);
  server::Insert insert;
  insert.into.database = "shop";
  insert.into.collection = "products";
  const auto flush = [&] {
    must(session.execute(insert, {}));
    insert.documents.clear();
  };
  for (std::string line; std::getline(in, line);) {
    server::Expression document;
    document.literal = SqlValue::text(line);
    insert.documents.push_back(std::move(document));
    if (insert.documents.size() == 1000) flush();
  }
  if (!insert.documents.empty()) flush();
}

void measure(server::Session& session, const std::string& name, const std::string& where) {
  std::vector<double> times_ms;
  size_t hits = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    auto result =
        must(session.execute_sql("SELECT _id, doc FROM shop.products WHERE " + where, {}));
    hits = 0;
    while (must(result.rows->next())) ++hits;
    times_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::sort(times_ms.begin(), times_ms.end());
  std::printf("{\"name\": \"%s_ms\", \"value\": %.4g}\n", name.c_str(), times_ms[2]);
  std::printf("{\"name\": \"%s_hits\", \"value\": %zu}\n", name.c_str(), hits);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s DOCUMENTS.jsonl EMPTY_FOLDER\n", argv[0]);
    return 2;
  }
  auto store = must(server::Store::open(std::string(argv[2]) + "/data", {}));
  auto session = must(store->make_session({}));
  load(*session, argv[1]);
  must(store->checkpoint());
  measure(*session, "any_equal_few", "* = 'Jippie'");
  measure(*session, "any_equal_many", "* = 'outdoor'");
  measure(*session, "any_number", "* = 1974");
  measure(*session, "any_between", "* BETWEEN 1973.5 AND 1974.5");
  return 0;
}
