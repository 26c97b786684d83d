// Expectation blocks: a client sends several messages at once and asks that, after one that fails,
// the rest of the block fails too.
//
// Blocks alike in a row are counted, not stored: a client that opens them without end (Node sends
// an "open" where it means "close") costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mysqlx_expect.pb.h>

#include "xproto/x_error.h"

namespace wherestar::xproto {

class Expectations {
 public:
  // 5160, 5161, 5168: the block is open nevertheless, and failed. 5159 within a failed block.
  // 5012 beyond kMaxStoredBlocks unlike ones.
  XStatus open(const Mysqlx::Expect::Open& message);
  // 5158 without an open block; the error of a block that failed.
  XStatus close();
  // What every other message meets: 5159 in a failed block.
  XStatus check() const;
  // An ordinary message failed.
  void statement_failed();
  void clear() { blocks_.clear(); }

  static constexpr size_t kMaxStoredBlocks = 1024;

 private:
  struct Block {
    bool no_error = false;
    bool failed = false;
    XError error;  // why, if failed
    uint64_t count = 1;
  };
  std::vector<Block> blocks_;
};

}  // namespace wherestar::xproto
