#include "xproto/notices.h"

#include <mysqlx.pb.h>
#include <mysqlx_notice.pb.h>

#include "xproto/frame.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Datatypes::Scalar;
using Mysqlx::Notice::SessionStateChanged;
using NoticeFrame = Mysqlx::Notice::Frame;

void append_notice(std::string& out, NoticeFrame::Type type, NoticeFrame::Scope scope,
                   const google::protobuf::MessageLite& payload) {
  NoticeFrame frame;
  frame.set_type(static_cast<uint32_t>(type));
  frame.set_scope(scope);
  payload.SerializeToString(frame.mutable_payload());
  append_frame(out, ServerMessage::kNotice, frame);
}

void append_state(std::string& out, const SessionStateChanged& state) {
  append_notice(out, NoticeFrame::SESSION_STATE_CHANGED, NoticeFrame::LOCAL, state);
}

void append_state(std::string& out, SessionStateChanged::Parameter parameter, uint64_t value) {
  SessionStateChanged state;
  state.set_param(parameter);
  Scalar* scalar = state.add_value();
  scalar->set_type(Scalar::V_UINT);
  scalar->set_v_unsigned_int(value);
  append_state(out, state);
}

// proto2 strings are expected to be UTF-8 by clients; messages may quote what a client sent.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '\0') c = '?';
  }
  return result;
}

}  // namespace

void append_ok(std::string& out, std::string_view message) {
  Mysqlx::Ok ok;
  if (!message.empty()) ok.set_msg(std::string(message));
  append_frame(out, ServerMessage::kOk, ok);
}

void append_error(std::string& out, const XError& error) {
  Mysqlx::Error message;
  message.set_severity(error.fatal ? Mysqlx::Error::FATAL : Mysqlx::Error::ERROR);
  message.set_code(error.code);
  message.set_msg(printable(error.message));
  message.set_sql_state(error.sql_state);
  append_frame(out, ServerMessage::kError, message);
}

void append_rows_affected(std::string& out, uint64_t rows) {
  append_state(out, SessionStateChanged::ROWS_AFFECTED, rows);
}

void append_generated_ids(std::string& out, std::span<const std::string> ids) {
  SessionStateChanged state;
  state.set_param(SessionStateChanged::GENERATED_DOCUMENT_IDS);
  for (const std::string& id : ids) {
    Scalar* scalar = state.add_value();
    scalar->set_type(Scalar::V_OCTETS);
    scalar->mutable_v_octets()->set_value(id);
  }
  append_state(out, state);
}

void append_produced_message(std::string& out, std::string_view message) {
  SessionStateChanged state;
  state.set_param(SessionStateChanged::PRODUCED_MESSAGE);
  Scalar* scalar = state.add_value();
  scalar->set_type(Scalar::V_STRING);
  scalar->mutable_v_string()->set_value(std::string(message));
  append_state(out, state);
}

void append_client_id(std::string& out, uint64_t client_id) {
  append_state(out, SessionStateChanged::CLIENT_ID_ASSIGNED, client_id);
}

void append_warning(std::string& out, const server::Warning& warning) {
  Mysqlx::Notice::Warning message;
  message.set_level(static_cast<Mysqlx::Notice::Warning::Level>(warning.level));
  message.set_code(warning.code);
  message.set_msg(printable(warning.message));
  append_notice(out, NoticeFrame::WARNING, NoticeFrame::LOCAL, message);
}

void append_closing_notice(std::string& out, uint32_t number, std::string_view text) {
  Mysqlx::Notice::Warning message;
  message.set_level(Mysqlx::Notice::Warning::ERROR);
  message.set_code(number);
  message.set_msg(std::string(text));
  append_notice(out, NoticeFrame::WARNING, NoticeFrame::GLOBAL, message);
}

}  // namespace wherestar::xproto
