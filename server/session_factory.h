// Makes the sessions of a store.
#pragma once

#include <memory>

#include "server/session.h"
#include "server/store_core.h"

namespace wherestar::server {

std::unique_ptr<Session> make_store_session(StoreCore& core, SessionOptions options);

}  // namespace wherestar::server
