// Notices and the small replies, as frames.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/evaluator.h"
#include "xproto/x_error.h"

namespace wherestar::xproto {

void append_ok(std::string& out, std::string_view message = {});
void append_error(std::string& out, const XError& error);

void append_rows_affected(std::string& out, uint64_t rows);
void append_generated_ids(std::string& out, std::span<const std::string> ids);
void append_produced_message(std::string& out, std::string_view message);
void append_client_id(std::string& out, uint64_t client_id);
void append_warning(std::string& out, const server::Warning& warning);
// Sent just before the server closes a connection: 1053, 3169, 1810. Global.
void append_closing_notice(std::string& out, uint32_t number, std::string_view message);

}  // namespace wherestar::xproto
