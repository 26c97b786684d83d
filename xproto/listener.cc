#include "xproto/listener.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "xproto/certificate.h"
#include "xproto/connection.h"
#include "xproto/error_map.h"
#include "xproto/notices.h"

namespace wherestar::xproto {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::local::stream_protocol;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kAcceptRetry{100};

std::unexpected<Error> io_error(const std::string& what, const boost::system::error_code& error) {
  return fail(ErrorCode::kIo, what + ": " + error.message());
}

Peer peer_of(const tcp::socket& socket) {
  boost::system::error_code error;
  auto endpoint = socket.remote_endpoint(error);
  if (error) return {.host = "unknown", .unix_socket = false, .loopback = false};
  asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  bool loopback = address.is_loopback();
  return {.host = loopback ? "localhost" : address.to_string(),
          .unix_socket = false,
          .loopback = loopback};
}

Peer peer_of(const stream_protocol::socket&) {
  return {.host = "localhost", .unix_socket = true, .loopback = true};
}

class AsioListener : public Listener {
 public:
  AsioListener(server::Store& store, const ListenerOptions& options)
      : options_(options), workers_(options.max_connections + 8) {
    shared_ = {.io = &io_,
               .tls = nullptr,
               .workers = &workers_,
               .registry = &registry_,
               .store = &store,
               .options = &options_};
  }

  ~AsioListener() override { stop(); }

  Status open() {
    RETURN_IF_ERROR(open_tls());
    if (!options_.host.empty()) RETURN_IF_ERROR(open_tcp());
    if (!options_.socket_path.empty()) RETURN_IF_ERROR(open_unix());
    if (!tcp_ && !unix_) {
      return fail(ErrorCode::kInvalidArgument, "neither an address nor a socket to listen on");
    }
    if (tcp_) spawn_accept(*tcp_);
    if (unix_) spawn_accept(*unix_);
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  uint16_t port() const override { return port_; }
  const std::string& certificate_fingerprint() const override { return fingerprint_; }
  size_t connections() const override { return connection_count_.load(); }

  void stop() override {
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { begin_stop(); });
    work_.reset();
    thread_.join();
    if (!options_.socket_path.empty() && owns_socket_file_) ::unlink(options_.socket_path.c_str());
  }

 private:
  void log(const std::string& line) const {
    if (options_.log_line) options_.log_line(line);
  }

  Status open_tls() {
    if (options_.data_directory.empty()) return {};
    ASSIGN_OR_RETURN(Certificate files, load_or_make_certificate(options_.data_directory));
    tls_.emplace(asio::ssl::context::tls_server);
    boost::system::error_code error;
    tls_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                          asio::ssl::context::no_sslv3,
                      error);
    SSL_CTX* context = tls_->native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    if (!error) tls_->use_certificate_chain_file(files.certificate_file, error);
    if (!error) tls_->use_private_key_file(files.key_file, asio::ssl::context::pem, error);
    if (error) return io_error(files.certificate_file, error);
    fingerprint_ = files.sha256_fingerprint;
    shared_.tls = &*tls_;
    return {};
  }

  Status open_tcp() {
    boost::system::error_code error;
    auto address =
        asio::ip::make_address(options_.host == "localhost" ? "127.0.0.1" : options_.host, error);
    if (error)
      return fail(ErrorCode::kInvalidArgument, "'" + options_.host + "' is not an address");
    if (!address.is_loopback()) RETURN_IF_ERROR(check_root_password());
    tcp::endpoint endpoint(address, options_.port);
    tcp_.emplace(io_);
    tcp_->open(endpoint.protocol(), error);
    if (!error) tcp_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) tcp_->bind(endpoint, error);
    if (!error) tcp_->listen(asio::socket_base::max_listen_connections, error);
    if (error) return io_error(options_.host + ":" + std::to_string(options_.port), error);
    port_ = tcp_->local_endpoint(error).port();
    return {};
  }

  Status check_root_password() {
    ASSIGN_OR_RETURN(auto root, shared_.store->account("root"));
    if (root && root->has_password()) return {};
    return fail(ErrorCode::kInvalidArgument,
                "refusing to listen on " + options_.host +
                    ": user root has no password yet, so only this machine is served. Start on "
                    "127.0.0.1, run SET PASSWORD = '...', then listen wider");
  }

  Status open_unix() {
    const std::string& path = options_.socket_path;
    boost::system::error_code error;
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0) {
      if (!S_ISSOCK(info.st_mode)) {
        return fail(ErrorCode::kInvalidArgument, path + ": exists and is not a socket");
      }
      // A socket that nobody answers is what a killed server left behind.
      stream_protocol::socket probe(io_);
      probe.connect(stream_protocol::endpoint(path), error);
      if (!error) return fail(ErrorCode::kIo, path + ": another server listens there");
      ::unlink(path.c_str());
      error.clear();
    }
    if (path.size() >= sizeof(sockaddr_un{}.sun_path)) {
      return fail(ErrorCode::kInvalidArgument, path + ": too long for a unix socket");
    }
    unix_.emplace(io_);
    unix_->open(stream_protocol(), error);
    mode_t old_mask = ::umask(0177);  // born 0600: nobody gets in between bind and chmod
    if (!error) unix_->bind(stream_protocol::endpoint(path), error);
    ::umask(old_mask);
    if (!error) owns_socket_file_ = true;
    if (!error) unix_->listen(asio::socket_base::max_listen_connections, error);
    if (error) return io_error(path, error);
    return {};
  }

  template <class Acceptor>
  void spawn_accept(Acceptor& acceptor) {
    asio::co_spawn(
        io_, [this, &acceptor] { return accept_all(acceptor); }, [](std::exception_ptr) {});
  }

  template <class Acceptor>
  asio::awaitable<void> accept_all(Acceptor& acceptor) {
    asio::steady_timer pause(io_);
    while (acceptor.is_open()) {
      auto [error, socket] = co_await acceptor.async_accept(kAwait);
      if (stopping_) co_return;
      if (error) {
        // Out of file descriptors, most likely: wait for some to be given back, do not spin.
        log("cannot accept a connection: " + error.message());
        pause.expires_after(kAcceptRetry);
        co_await pause.async_wait(kAwait);
        continue;
      }
      Peer peer = peer_of(socket);
      boost::system::error_code ignored;
      if constexpr (std::is_same_v<std::decay_t<decltype(socket)>, tcp::socket>) {
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::keep_alive(true), ignored);
      }
      if (connections_.size() >= options_.max_connections) {
        refuse(socket);
        continue;
      }
      add_connection(Socket(std::move(socket)), std::move(peer));
    }
  }

  // Too many connections: said if the socket takes it at once, else just closed.
  void refuse(auto& socket) {
    std::string out;
    append_error(out, {.code = code::kTooManyConnections,
                       .message = "Too many connections",
                       .sql_state = "08004",
                       .fatal = true});
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(out), ignored);
    socket.shutdown(asio::socket_base::shutdown_both, ignored);
    socket.close(ignored);
  }

  void add_connection(Socket socket, Peer peer) {
    std::string host = peer.host;
    auto connection = std::make_shared<Connection>(shared_, std::move(socket), std::move(peer));
    std::weak_ptr<Connection> weak = connection;
    uint64_t id = registry_.add(std::move(host), [this, weak] {
      asio::post(io_, [weak] {
        if (auto target = weak.lock())
          target->terminate(code::kKilled, "Killed by another session");
      });
    });
    connection->set_client_id(id);
    connections_.emplace(id, connection);
    connection_count_ = connections_.size();
    connection->start([this, id] {
      registry_.remove(id);
      connections_.erase(id);
      connection_count_ = connections_.size();
    });
  }

  void begin_stop() {
    stopping_ = true;
    boost::system::error_code ignored;
    if (tcp_) tcp_->close(ignored);
    if (unix_) unix_->close(ignored);
    for (auto& [id, connection] : connections_) {
      connection->terminate(code::kServerShutdown, "Server shutdown in progress");
    }
  }

  ListenerOptions options_;
  ClientRegistry registry_;
  std::string fingerprint_;
  uint16_t port_ = 0;
  bool owns_socket_file_ = false;
  bool stopping_ = false;  // of the io thread
  std::atomic<size_t> connection_count_ = 0;

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::optional<asio::ssl::context> tls_;
  ConnectionShared shared_;
  std::optional<tcp::acceptor> tcp_;
  std::optional<stream_protocol::acceptor> unix_;
  std::map<uint64_t, std::shared_ptr<Connection>> connections_;  // of the io thread
  WorkerPool workers_;  // last: its jobs use all of the above
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::start(server::Store& store,
                                                  const ListenerOptions& options) {
  auto listener = std::make_unique<AsioListener>(store, options);
  RETURN_IF_ERROR(listener->open());
  return listener;
}

}  // namespace wherestar::xproto
