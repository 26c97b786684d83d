// A file or standard input to read documents from, unpacked on the way.
//
// gzip (several members too) and zstd are known by their first bytes, whatever the name. One
// thread. Errors: kIo, also for damaged or truncated packing; each names the file. zstd windows
// above 128 MiB are refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace wherestar::tools {

class Input {
 public:
  // "-" is standard input.
  static Result<std::unique_ptr<Input>> open(const std::string& name);
  virtual ~Input() = default;

  // Appends the next piece of unpacked text, at most 256 KiB, to `out`; false at the end.
  virtual Result<bool> read(std::string& out) = 0;
  virtual uint64_t bytes_read() const = 0;      // of the file itself
  virtual uint64_t bytes_total() const = 0;     // 0: unknown
  virtual const std::string& name() const = 0;  // as errors show it: "<stdin>" for "-"
};

// `logs/*.json` to the files it matches, sorted; a name without wildcards, and "-", as it is.
std::vector<std::string> expand_names(const std::vector<std::string>& names);

// "did you mean 'products.jsonl'?" for a file that does not exist, from its directory; else empty.
std::string near_file(const std::string& name);

// "products" of "dump/products.jsonl.zst"; "stdin" of "-".
std::string collection_name_of(const std::string& file_name);

}  // namespace wherestar::tools
