// The X Protocol server of a store: sockets, TLS, logins, sessions.
//
//   ASSIGN_OR_RETURN(auto listener, Listener::start(*store, {.data_directory = directory}));
//   log("ready mysqlx://127.0.0.1:" + std::to_string(listener->port()));
//   ...
//   listener->stop();
//
// What it hides: frames, protobuf, translation of CRUD messages to statements, Asio, the thread of
// the sockets and the pool of threads that run statements.
//
// Threads: any. The store must outlive the listener. A hostile or broken connection gets an error
// and is closed; it costs no other connection anything but the resources within the limits below.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/store.h"

namespace wherestar::xproto {

struct ListenerOptions {
  std::string host = "127.0.0.1";    // an address; empty: no TCP
  uint16_t port = 33060;             // 0: any free one
  std::string socket_path;           // unix socket, 0600; empty: none
  std::string data_directory;        // where certificate and key are kept; empty: no TLS
  size_t max_connections = 256;      // beyond: error 1040
  uint32_t login_timeout_s = 10;     // from accept to login, in total
  uint32_t read_timeout_s = 30;      // within a frame
  uint32_t write_timeout_s = 60;     // for one piece of a reply
  uint32_t idle_timeout_s = 28'800;  // between statements; notice 1810 behind it
  std::function<void(std::string_view)> log_line;  // any thread
};

class Listener {
 public:
  // Accepts when it returns. kInvalidArgument: not an address, an address that others can reach
  // while root has no password, a bad certificate; kIo: the address is in use, no permission.
  static Result<std::unique_ptr<Listener>> start(server::Store& store,
                                                 const ListenerOptions& options);
  virtual ~Listener() = default;  // stops

  virtual uint16_t port() const = 0;  // 0: no TCP
  virtual const std::string& certificate_fingerprint() const = 0;
  virtual size_t connections() const = 0;
  // Accepts no more, cancels what runs, tells every client (notice 1053) and closes; returns when
  // all sessions are gone. Safe to call twice.
  virtual void stop() = 0;
};

}  // namespace wherestar::xproto
