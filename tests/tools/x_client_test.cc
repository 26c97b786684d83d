#include "tools/x_client.h"

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::tools;

TEST_CASE("the proof of a password is the one that other clients send") {
  CHECK(mysql41_proof("pw", "12345678901234567890") == "*f4bb7c9eaaa62c4e4a010b60113f6d5802733841");
  CHECK(mysql41_proof("", "12345678901234567890").empty());
}

TEST_CASE("a server's numbers become our codes") {
  CHECK(error_of_server(1045, "no").code == ErrorCode::kAccessDenied);
  CHECK(error_of_server(1146, "no").code == ErrorCode::kUnknownCollection);
  CHECK(error_of_server(5116, "no").code == ErrorCode::kDuplicateId);
  const Error other = error_of_server(3572, "locked");
  CHECK(other.code == ErrorCode::kInvalidExpression);
  CHECK(other.message.find("3572") != std::string::npos);
}

TEST_CASE("a port where nobody listens is an error that names it") {
  // Port 1 of loopback: reserved, and not a server here.
  ServerUri uri;
  uri.port = 1;
  const auto client = XClient::connect(uri);
  REQUIRE_FALSE(client);
  CHECK(client.error().code == ErrorCode::kIo);
  CHECK(client.error().message.find("127.0.0.1:1") != std::string::npos);
}
