// One client's socket: reads frames, hands them to its ClientSession on a worker thread, writes the
// replies. One message is in work at a time and no further one is read before its reply is written,
// so a client that does not read is not read from either.
//
// Threads: everything runs on the one thread of the io_context, but for what is said to be posted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>

#include "xproto/client_session.h"
#include "xproto/frame.h"
#include "xproto/listener.h"
#include "xproto/worker_pool.h"

namespace wherestar::xproto {

using Socket = boost::asio::generic::stream_protocol::socket;

// What all connections share.
struct ConnectionShared {
  boost::asio::io_context* io = nullptr;
  boost::asio::ssl::context* tls = nullptr;  // null: no TLS
  WorkerPool* workers = nullptr;
  ClientRegistry* registry = nullptr;
  server::Store* store = nullptr;
  const ListenerOptions* options = nullptr;
};

struct Peer {
  std::string host;
  bool unix_socket = false;
  bool loopback = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(const ConnectionShared& shared, Socket socket, Peer peer);
  ~Connection();

  void set_client_id(uint64_t id);  // before start()
  // Runs until the connection is over. `done` is called at its end.
  void start(std::function<void()> done);
  // Cancels what runs, sends a notice and closes. On the io thread.
  void terminate(uint32_t number, std::string_view message);

 private:
  using Clock = std::chrono::steady_clock;
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  Awaitable<void> run();
  Awaitable<void> serve();
  Awaitable<bool> process(Frame frame);  // false: close
  Awaitable<bool> receive();             // false: closed, timed out or failed
  Awaitable<bool> flush();
  Awaitable<bool> flush_within(std::chrono::seconds limit);
  Awaitable<bool> start_tls(size_t reply_start);
  Awaitable<void> say_goodbye();
  Awaitable<Next> on_worker(std::move_only_function<Next()> job);
  Clock::time_point read_deadline() const;
  void arm(Clock::time_point deadline);
  void disarm();
  void cancel_socket();
  void fatal(uint32_t number, std::string message);

  ConnectionShared shared_;
  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_stream_;
  boost::asio::steady_timer timer_;
  uint64_t timer_generation_ = 0;
  bool timed_out_ = false;
  bool write_failed_ = false;
  bool close_tls_ = false;  // ended in order: TLS is closed in order too
  Clock::time_point login_deadline_;
  std::unique_ptr<ClientSession> session_;  // until run() ends
  FrameDecoder decoder_{kMaxFrameBytesBeforeLogin};
  std::string out_;
  struct ClosingNotice {
    uint32_t number = 0;
    std::string message;
  };
  std::optional<ClosingNotice> closing_notice_;
};

}  // namespace wherestar::xproto
