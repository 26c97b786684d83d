// Bytes of a client: frames, the wire check, every message in the states before and behind login.
// The first byte says whether the client is logged in already.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/xproto/fake_store.h"
#include "xproto/client_session.h"
#include "xproto/frame.h"

using namespace wherestar;

namespace {

void log_in(xproto::ClientSession& session) {
  std::string out;
  // AuthenticateStart{mech_name: "PLAIN", auth_data: "\0root\0"}
  session.tls_established();
  session.handle(4, std::string("\x0a\x05PLAIN\x12\x06\0root\0", 15), out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  xproto_test::FakeStore store;
  xproto::ClientRegistry registry;
  xproto::ClientEnvironment environment;
  environment.store = &store;
  environment.registry = &registry;
  environment.client_id = registry.add("localhost", [] {});
  environment.limits.message_memory_bytes = 8u << 20;
  xproto::ClientSession session(environment);
  if (data[0] % 2 != 0) log_in(session);
  xproto::FrameDecoder decoder(session.max_frame_bytes());
  decoder.append({reinterpret_cast<const char*>(data + 1), size - 1});
  std::string out;
  while (true) {
    auto frame = decoder.next();
    if (!frame || !*frame) return 0;
    auto next = session.handle((**frame).type, (**frame).payload, out);
    while (next == xproto::Next::kMore) {
      out.clear();
      next = session.resume(out);
    }
    out.clear();
    if (next == xproto::Next::kClose) return 0;
    decoder.set_max_frame_bytes(session.max_frame_bytes());
  }
}
