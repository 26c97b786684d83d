#include "tools/x_client.h"

#include <array>
#include <cstdlib>
#include <variant>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <mysqlx.pb.h>
#include <mysqlx_connection.pb.h>
#include <mysqlx_session.pb.h>
#include <openssl/sha.h>

namespace wherestar::tools {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr uint32_t kMaxFrameBytes = (64u << 20) + (1u << 20);
constexpr size_t kHeaderBytes = 5;

// Message types of the protocol.
constexpr uint8_t kCapabilitiesGet = 1, kCapabilitiesSet = 2, kAuthenticateStart = 4,
                  kAuthenticateContinue = 5;
constexpr uint8_t kOk = 0, kError = 1, kCapabilities = 2, kServerContinue = 3, kAuthenticateOk = 4,
                  kNotice = 11;

class SocketClient : public XClient {
 public:
  explicit SocketClient(const ServerUri& uri)
      : where_(fmt::format("{}:{}", uri.host, uri.port)),
        context_(asio::ssl::context::tls_client),
        stream_(io_, context_) {}

  Status open(const ServerUri& uri) {
    error_code error;
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(uri.host, std::to_string(uri.port), error);
    if (error) return failed("cannot find the host", error);
    asio::connect(stream_.next_layer(), found, error);
    if (error) return failed("cannot connect", error);
    stream_.next_layer().set_option(tcp::no_delay(true), error);
    const auto peer = stream_.next_layer().remote_endpoint(error);
    loopback_ = !error && peer.address().is_loopback();
    if (!loopback_) RETURN_IF_ERROR(start_tls(uri.host));
    return log_in(uri);
  }

  Status send(uint8_t type, const google::protobuf::MessageLite& message) override {
    std::string bytes(kHeaderBytes, '\0');
    if (!message.AppendToString(&bytes)) return fail(ErrorCode::kTooLarge, "message too large");
    const size_t length = bytes.size() - kHeaderBytes + 1;
    if (length > kMaxFrameBytes) return fail(ErrorCode::kTooLarge, "the statement is too large");
    for (size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
    bytes[4] = static_cast<char>(type);
    error_code error;
    if (tls_) {
      asio::write(stream_, asio::buffer(bytes), error);
    } else {
      asio::write(stream_.next_layer(), asio::buffer(bytes), error);
    }
    return error ? failed("the connection broke", error) : Status{};
  }

  Result<XMessage> receive() override {
    std::array<unsigned char, kHeaderBytes> header{};
    RETURN_IF_ERROR(read(header.data(), header.size()));
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) length |= static_cast<uint32_t>(header[i]) << (8 * i);
    if (length == 0 || length > kMaxFrameBytes) {
      return fail(ErrorCode::kIo, where_ + ": no X Protocol server (is the port right?)");
    }
    XMessage message{header[4], std::string(length - 1, '\0')};
    RETURN_IF_ERROR(read(message.payload.data(), message.payload.size()));
    return message;
  }

 private:
  Status read(void* bytes, size_t size) {
    error_code error;
    if (buffer_.size() - used_ >= size) return take(bytes, size);
    // Small frames are common: whatever has come is read at once.
    while (buffer_.size() - used_ < size) {
      buffer_.erase(0, used_);
      used_ = 0;
      const size_t before = buffer_.size();
      buffer_.resize(before + std::max<size_t>(64u << 10, size - before));
      const auto room = asio::buffer(buffer_.data() + before, buffer_.size() - before);
      const size_t got =
          tls_ ? stream_.read_some(room, error) : stream_.next_layer().read_some(room, error);
      buffer_.resize(before + got);
      if (error) return failed("the connection broke", error);
    }
    return take(bytes, size);
  }

  Status take(void* bytes, size_t size) {
    buffer_.copy(static_cast<char*>(bytes), size, used_);
    used_ += size;
    return {};
  }

  Status failed(const char* what, const error_code& error) const {
    return fail(ErrorCode::kIo, fmt::format("{}: {}: {}", where_, what, error.message()));
  }

  // The next message that is no notice.
  Result<XMessage> receive_answer() {
    while (true) {
      ASSIGN_OR_RETURN(XMessage message, receive());
      if (message.type == kNotice) continue;
      if (message.type != kError) return message;
      Mysqlx::Error error;
      if (!error.ParseFromString(message.payload)) {
        return fail(ErrorCode::kIo, where_ + ": an answer that cannot be read");
      }
      return std::unexpected(error_of_server(error.code(), error.msg()));
    }
  }

  Status start_tls(const std::string& host) {
    Mysqlx::Connection::CapabilitiesSet set;
    auto* capability = set.mutable_capabilities()->add_capabilities();
    capability->set_name("tls");
    auto* value = capability->mutable_value();
    value->set_type(Mysqlx::Datatypes::Any::SCALAR);
    value->mutable_scalar()->set_type(Mysqlx::Datatypes::Scalar::V_BOOL);
    value->mutable_scalar()->set_v_bool(true);
    RETURN_IF_ERROR(send(kCapabilitiesSet, set));
    if (auto answer = receive_answer(); !answer) {
      return fail(ErrorCode::kIo, where_ + ": no TLS, and nothing else is spoken over a network: " +
                                      answer.error().message);
    }
    error_code error;
    context_.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1, error);
    const char* authority = std::getenv("WHERESTAR_TLS_CA");
    if (authority != nullptr && *authority != '\0') {
      context_.load_verify_file(authority, error);
      if (error) return failed(authority, error);
      stream_.set_verify_mode(asio::ssl::verify_peer, error);
      stream_.set_verify_callback(asio::ssl::host_name_verification(host), error);
    }
    SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
    stream_.handshake(asio::ssl::stream_base::client, error);
    if (error) return failed("TLS", error);
    tls_ = true;
    return {};
  }

  Result<bool> offers(const std::string& mechanism) {
    RETURN_IF_ERROR(send(kCapabilitiesGet, Mysqlx::Connection::CapabilitiesGet()));
    ASSIGN_OR_RETURN(const XMessage answer, receive_answer());
    Mysqlx::Connection::Capabilities capabilities;
    if (answer.type != kCapabilities || !capabilities.ParseFromString(answer.payload)) {
      return fail(ErrorCode::kIo, where_ + ": no X Protocol server");
    }
    for (const auto& capability : capabilities.capabilities()) {
      if (capability.name() != "authentication.mechanisms") continue;
      for (const auto& value : capability.value().array().value()) {
        if (value.scalar().v_string().value() == mechanism) return true;
      }
    }
    return false;
  }

  Status log_in(const ServerUri& uri) {
    ASSIGN_OR_RETURN(const bool has_mysql41, offers("MYSQL41"));
    if (!has_mysql41 && !tls_) {
      return fail(ErrorCode::kAccessDenied, where_ + ": offers no way to log in without TLS");
    }
    const std::string login = uri.database + '\0' + uri.user + '\0';
    Mysqlx::Session::AuthenticateStart start;
    start.set_mech_name(has_mysql41 ? "MYSQL41" : "PLAIN");
    if (!has_mysql41) start.set_auth_data(login + uri.password);
    RETURN_IF_ERROR(send(kAuthenticateStart, start));
    auto answer = receive_answer();
    if (answer && answer->type == kServerContinue) {
      Mysqlx::Session::AuthenticateContinue challenge;
      if (!challenge.ParseFromString(answer->payload)) {
        return fail(ErrorCode::kIo, where_ + ": a login that cannot be read");
      }
      Mysqlx::Session::AuthenticateContinue proof;
      proof.set_auth_data(login + mysql41_proof(uri.password, challenge.auth_data()));
      RETURN_IF_ERROR(send(kAuthenticateContinue, proof));
      answer = receive_answer();
    }
    if (!answer) return fail_in(where_, answer.error());
    if (answer->type == kAuthenticateOk || answer->type == kOk) return {};
    return fail(ErrorCode::kIo, where_ + ": an unexpected answer to the login");
  }

  std::string where_;
  asio::io_context io_;
  asio::ssl::context context_;
  asio::ssl::stream<tcp::socket> stream_;
  std::string buffer_;
  size_t used_ = 0;
  bool tls_ = false;
  bool loopback_ = false;
};

using Digest = std::array<unsigned char, SHA_DIGEST_LENGTH>;

Digest sha1(std::string_view bytes) {
  Digest digest{};
  SHA1(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string mysql41_proof(const std::string& password, const std::string& nonce) {
  if (password.empty()) return {};
  const Digest once = sha1(password);
  const Digest twice = sha1(view(once));
  const Digest mask = sha1(nonce + std::string(view(twice)));
  std::string proof = "*";
  for (size_t i = 0; i < once.size(); ++i) proof += fmt::format("{:02x}", once[i] ^ mask[i]);
  return proof;
}

Error error_of_server(uint32_t number, std::string message) {
  static constexpr std::pair<uint32_t, ErrorCode> kNumbers[] = {
      {1007, ErrorCode::kDatabaseExists},
      {1021, ErrorCode::kNoSpace},
      {1030, ErrorCode::kIo},
      {1034, ErrorCode::kCorruption},
      {1038, ErrorCode::kLimitExceeded},
      {1045, ErrorCode::kAccessDenied},
      {1046, ErrorCode::kNoDatabase},
      {1049, ErrorCode::kUnknownDatabase},
      {1050, ErrorCode::kCollectionExists},
      {1051, ErrorCode::kUnknownCollection},
      {1054, ErrorCode::kUnknownColumn},
      {1062, ErrorCode::kDuplicateId},
      {1064, ErrorCode::kSqlSyntax},
      {1142, ErrorCode::kAccessDenied},
      {1146, ErrorCode::kUnknownCollection},
      {1205, ErrorCode::kLockTimeout},
      {1213, ErrorCode::kDeadlock},
      {1300, ErrorCode::kInvalidUtf8},
      {1690, ErrorCode::kNumberOutOfRange},
      {1836, ErrorCode::kPoisoned},
      {3024, ErrorCode::kTimeout},
      {3140, ErrorCode::kInvalidJson},
      {3143, ErrorCode::kInvalidPath},
      {3150, ErrorCode::kTooLarge},
      {3157, ErrorCode::kTooDeep},
      {5012, ErrorCode::kInvalidArgument},
      {5115, ErrorCode::kNotAnObject},
      {5116, ErrorCode::kDuplicateId},
      {5180, ErrorCode::kSchemaViolation}};
  for (const auto& [known, code] : kNumbers) {
    if (known == number) return {code, std::move(message)};
  }
  return {ErrorCode::kInvalidExpression, fmt::format("{} ({})", message, number)};
}

Result<std::unique_ptr<XClient>> XClient::connect(const ServerUri& uri) {
  try {
    auto client = std::make_unique<SocketClient>(uri);
    RETURN_IF_ERROR(client->open(uri));
    return std::unique_ptr<XClient>(std::move(client));
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::kIo, uri.host + ": " + error.what());
  }
}

}  // namespace wherestar::tools
