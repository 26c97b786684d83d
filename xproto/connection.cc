#include "xproto/connection.h"

#include <array>
#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "xproto/error_map.h"
#include "xproto/notices.h"

namespace wherestar::xproto {
namespace {

namespace asio = boost::asio;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr size_t kReadBytes = 16u << 10;
constexpr size_t kFlushBytes = 64u << 10;
constexpr std::chrono::seconds kLastWriteTime{5};
constexpr std::chrono::seconds kGoodbyeTime{1};
// What is thrown away of a client's bytes before its connection is closed, so that the last reply
// is not lost to a reset.
constexpr size_t kMaxDrainBytes = 1u << 20;

}  // namespace

Connection::Connection(const ConnectionShared& shared, Socket socket, Peer peer)
    : shared_(shared),
      socket_(std::move(socket)),
      timer_(*shared.io),
      login_deadline_(Clock::now() + std::chrono::seconds(shared.options->login_timeout_s)) {
  ClientEnvironment environment;
  environment.store = shared.store;
  environment.registry = shared.registry;
  environment.host = peer.host;
  environment.tls_available = shared.tls != nullptr;
  environment.unix_socket = peer.unix_socket;
  environment.loopback = peer.loopback;
  session_ = std::make_unique<ClientSession>(std::move(environment));
}

Connection::~Connection() = default;

void Connection::set_client_id(uint64_t id) {
  session_->set_client_id(id);
}

void Connection::start(std::function<void()> done) {
  auto self = shared_from_this();
  asio::co_spawn(
      *shared_.io, [self] { return self->run(); },
      [self, done = std::move(done)](std::exception_ptr) { done(); });
}

void Connection::terminate(uint32_t number, std::string_view message) {
  if (closing_notice_) return;
  closing_notice_ = ClosingNotice{.number = number, .message = std::string(message)};
  if (session_) session_->cancel();
  cancel_socket();
}

void Connection::cancel_socket() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::arm(Clock::time_point deadline) {
  timed_out_ = false;
  uint64_t generation = ++timer_generation_;
  timer_.expires_at(deadline);
  timer_.async_wait([weak = weak_from_this(), generation](boost::system::error_code error) {
    auto self = weak.lock();
    if (error || !self || self->timer_generation_ != generation) return;
    self->timed_out_ = true;
    self->cancel_socket();
  });
}

void Connection::disarm() {
  ++timer_generation_;
  timer_.cancel();
}

void Connection::fatal(uint32_t number, std::string message) {
  append_error(out_, {.code = number, .message = std::move(message), .fatal = true});
}

Connection::Clock::time_point Connection::read_deadline() const {
  if (!session_->logged_in()) return login_deadline_;
  uint32_t seconds =
      decoder_.in_mid_frame() ? shared_.options->read_timeout_s : shared_.options->idle_timeout_s;
  return Clock::now() + std::chrono::seconds(seconds);
}

asio::awaitable<void> Connection::run() {
  auto self = shared_from_this();
  co_await serve();
  // Locks and transaction go before the client hears of the end. The session is taken off first:
  // terminate() must not meet it while it is destroyed.
  std::move_only_function<Next()> leave = [session = std::move(session_)]() mutable {
    session.reset();
    return Next::kClose;
  };
  co_await on_worker(std::move(leave));
  co_await say_goodbye();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<void> Connection::serve() {
  while (!closing_notice_ && !write_failed_) {
    auto frame = decoder_.next();
    if (!frame) {
      bool too_large = frame.error().code == ErrorCode::kLimitExceeded;
      fatal(too_large ? code::kPacketTooLarge : code::kBadMessage, frame.error().message);
      co_return;
    }
    if (*frame) {
      bool go_on = co_await process(**frame);
      if (!go_on) co_return;
      continue;
    }
    if (!out_.empty()) {
      bool written = co_await flush();
      if (!written) co_return;
    }
    bool received = co_await receive();
    if (!received) co_return;
  }
}

asio::awaitable<bool> Connection::process(Frame frame) {
  size_t reply_start = out_.size();
  std::move_only_function<Next()> handle = [this, frame] {
    return session_->handle(frame.type, frame.payload, out_);
  };
  Next next = co_await on_worker(std::move(handle));
  while (next == Next::kMore) {
    bool written = co_await flush();
    if (!written || closing_notice_) co_return false;
    std::move_only_function<Next()> resume = [this] { return session_->resume(out_); };
    next = co_await on_worker(std::move(resume));
  }
  decoder_.set_max_frame_bytes(session_->max_frame_bytes());
  if (next == Next::kClose) {
    close_tls_ = true;
    co_return false;
  }
  if (next == Next::kStartTls) {
    bool established = co_await start_tls(reply_start);
    co_return established;
  }
  if (out_.size() >= kFlushBytes) {
    bool written = co_await flush();
    co_return written;
  }
  co_return true;
}

asio::awaitable<bool> Connection::start_tls(size_t reply_start) {
  // Bytes that came with the request in the clear must not be read as if they had been encrypted.
  if (decoder_.buffered_bytes() > 0) {
    out_.resize(reply_start);
    fatal(code::kBadMessage, "Invalid message: data behind the request for TLS");
    co_return false;
  }
  bool written = co_await flush();
  if (!written) co_return false;
  tls_stream_.emplace(socket_, *shared_.tls);
  arm(login_deadline_);
  auto [error] = co_await tls_stream_->async_handshake(asio::ssl::stream_base::server, kAwait);
  disarm();
  if (error) {
    tls_stream_.reset();
    write_failed_ = true;  // nothing that the client could read
    co_return false;
  }
  session_->tls_established();
  co_return true;
}

asio::awaitable<bool> Connection::receive() {
  std::array<char, kReadBytes> buffer;
  bool was_in_mid_frame = decoder_.in_mid_frame();
  bool was_logged_in = session_->logged_in();
  arm(read_deadline());
  boost::system::error_code error;
  size_t count = 0;
  if (tls_stream_) {
    std::tie(error, count) = co_await tls_stream_->async_read_some(asio::buffer(buffer), kAwait);
  } else {
    std::tie(error, count) = co_await socket_.async_read_some(asio::buffer(buffer), kAwait);
  }
  disarm();
  if (closing_notice_) co_return false;
  if (timed_out_ && was_logged_in && !was_in_mid_frame) {
    closing_notice_ = ClosingNotice{.number = code::kIdleTooLong,
                                    .message = "The connection was idle for too long"};
    co_return false;
  }
  if (error) {
    write_failed_ = !timed_out_;
    co_return false;
  }
  decoder_.append(std::string_view(buffer.data(), count));
  co_return true;
}

asio::awaitable<bool> Connection::flush() {
  bool written = co_await flush_within(std::chrono::seconds(shared_.options->write_timeout_s));
  co_return written;
}

asio::awaitable<bool> Connection::flush_within(std::chrono::seconds limit) {
  if (out_.empty()) co_return true;
  arm(Clock::now() + limit);
  boost::system::error_code error;
  size_t count = 0;
  if (tls_stream_) {
    std::tie(error, count) = co_await asio::async_write(*tls_stream_, asio::buffer(out_), kAwait);
  } else {
    std::tie(error, count) = co_await asio::async_write(socket_, asio::buffer(out_), kAwait);
  }
  disarm();
  out_.clear();
  if (out_.capacity() > 4 * kReplyChunkBytes) out_.shrink_to_fit();
  write_failed_ = static_cast<bool>(error);
  co_return !error;
}

asio::awaitable<void> Connection::say_goodbye() {
  if (write_failed_) co_return;
  if (closing_notice_) {
    append_closing_notice(out_, closing_notice_->number, closing_notice_->message);
  }
  bool written = co_await flush_within(kLastWriteTime);
  if (!written) co_return;
  boost::system::error_code error;
  arm(Clock::now() + kGoodbyeTime);
  if (tls_stream_ && close_tls_) {
    std::tie(error) = co_await tls_stream_->async_shutdown(kAwait);
  }
  socket_.shutdown(Socket::shutdown_send, error);
  std::array<char, 4096> buffer;
  size_t drained = 0;
  while (!error && !timed_out_ && drained < kMaxDrainBytes) {
    size_t count = 0;
    std::tie(error, count) = co_await socket_.async_read_some(asio::buffer(buffer), kAwait);
    drained += count;
  }
  disarm();
}

asio::awaitable<Next> Connection::on_worker(std::move_only_function<Next()> job) {
  Next next = Next::kClose;
  auto initiate = [this, &job, &next](auto handler) {
    shared_.workers->post([this, &job, &next, handler = std::move(handler)]() mutable {
      try {
        next = job();
      } catch (const std::exception& error) {
        // Out of memory, most likely: this client's message was too much, the others go on.
        out_.clear();
        fatal(1041, std::string("The server failed to do this: ") + error.what());
        next = Next::kClose;
      }
      asio::post(*shared_.io, std::move(handler));
    });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(initiate,
                                                                       asio::use_awaitable);
  co_return next;
}

}  // namespace wherestar::xproto
