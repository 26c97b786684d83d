// The server: opens a data directory and serves X Protocol until it is told to stop.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "server/store.h"
#include "xproto/listener.h"

namespace {

using wherestar::ErrorCode;
using wherestar::Result;

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 1;

struct Options {
  std::string directory;
  std::string durability = "sync";
  std::string log_level = "info";
  wherestar::server::StoreOptions store;
  wherestar::xproto::ListenerOptions listener;
};

void add_options(CLI::App& app, Options& options) {
  app.set_config("--config", "", "Read options from this file (TOML or INI: port=33060)");
  app.add_option("--data", options.directory, "Data directory; created when it is not there")
      ->required()
      ->envname("WHERESTAR_DATA");
  app.add_option("--host", options.listener.host,
                 "Address to listen on; others than this machine's need a password of root")
      ->capture_default_str()
      ->envname("WHERESTAR_HOST");
  app.add_option("--port", options.listener.port, "TCP port; 0 for any free one")
      ->capture_default_str()
      ->envname("WHERESTAR_PORT");
  app.add_option("--socket", options.listener.socket_path, "Listen on this unix socket as well")
      ->envname("WHERESTAR_SOCKET");
  app.add_option("--cache-bytes", options.store.cache_bytes,
                 "Memory for the storage engine's cache (suffixes K, M, G)")
      ->capture_default_str()
      ->transform(CLI::AsSizeValue(false))
      ->envname("WHERESTAR_CACHE_BYTES");
  app.add_option("--durability", options.durability,
                 "sync: an acknowledged commit is on disk; async: soon")
      ->capture_default_str()
      ->check(CLI::IsMember({"sync", "async"}));
  app.add_option("--statement-memory-bytes", options.store.statement_memory_bytes,
                 "Memory that one statement may take to sort, group and match")
      ->capture_default_str()
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--statement-timeout-ms", options.store.statement_timeout_ms,
                 "Statements end with an error after this time; 0: never")
      ->capture_default_str();
  app.add_option("--max-connections", options.listener.max_connections,
                 "Further clients are refused")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  app.add_option("--idle-timeout-s", options.listener.idle_timeout_s,
                 "Connections that ask for nothing are closed after this time")
      ->capture_default_str()
      ->check(CLI::Range(1, 31'536'000));
  app.add_option("--log-level", options.log_level, "How much is logged to standard error")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
}

// Blocks the signals for all threads, before there are any; waiting takes them one by one.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  int wait() const {
    int signal = 0;
    while (sigwait(&set_, &signal) != 0) {
    }
    return signal;
  }

 private:
  sigset_t set_;
};

Result<void> serve(Options& options, const StopSignals& signals) {
  options.store.log_line = [](std::string_view line) { spdlog::info("{}", line); };
  options.listener.log_line = [](std::string_view line) { spdlog::warn("{}", line); };
  options.store.durability = options.durability == "sync"
                                 ? wherestar::fractal_tree::Durability::kSync
                                 : wherestar::fractal_tree::Durability::kAsync;
  options.listener.data_directory = options.directory;
  ASSIGN_OR_RETURN(auto store, wherestar::server::Store::open(options.directory, options.store));
  ASSIGN_OR_RETURN(auto listener, wherestar::xproto::Listener::start(*store, options.listener));
  spdlog::info("certificate SHA-256 {}", listener->certificate_fingerprint());
  if (!options.listener.socket_path.empty()) {
    spdlog::info("listening on {}", options.listener.socket_path);
  }
  const std::string& host = options.listener.host;
  bool is_v6 = host.find(':') != std::string::npos;
  std::printf("ready mysqlx://%s%s%s:%u\n", is_v6 ? "[" : "", host.c_str(), is_v6 ? "]" : "",
              listener->port());
  std::fflush(stdout);
  int signal = signals.wait();
  spdlog::info("stopping on {}", signal == SIGTERM ? "SIGTERM" : "SIGINT");
  listener->stop();
  listener.reset();
  RETURN_IF_ERROR(store->checkpoint());
  store.reset();
  spdlog::info("stopped");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "wherestard: Wherestar's server. Speaks MySQL's X Protocol; stops cleanly on SIGTERM.",
      "wherestard"};
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "wherestard", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_level(spdlog::level::from_str(options.log_level));
  StopSignals signals;
  if (auto status = serve(options, signals); !status) {
    std::fprintf(stderr, "wherestard: %s\n", status.error().message.c_str());
    return status.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  return 0;
}
