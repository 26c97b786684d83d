// Comparing what is derived (ids, postings, statistics) with the documents, and deriving it again.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "server/store.h"
#include "server/store_core.h"

namespace wherestar::server {

// Everything a store promises about its documents; problems are listed, at most 100.
Result<StoreReport> verify_store(StoreCore& core);
// Nobody may commit meanwhile (it holds the commit gate). A crash in the middle is noticed at the
// next open, which starts it again.
Status reindex_store(StoreCore& core, const std::function<void(uint64_t, uint64_t)>& progress);
// Was a rebuild interrupted, or were the postings derived by other rules?
Result<bool> needs_reindex(StoreCore& core);

}  // namespace wherestar::server
