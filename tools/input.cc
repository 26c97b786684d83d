#include "tools/input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tools/near_miss.h"

namespace wherestar::tools {
namespace {

constexpr size_t kChunkBytes = 256u << 10;
constexpr int kMaxZstdWindowLog = 27;

// Turns packed bytes into text, piece by piece: a few bytes may stand for gigabytes.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // Takes bytes off the front and appends at most kChunkBytes of text, or fails with a reason. To
  // be called again, also without bytes, while is_full().
  virtual Status step(std::string_view& bytes, std::string& out) = 0;
  virtual bool is_full() const { return false; }  // more text may come without more bytes
  virtual bool at_end() const = 0;                // nothing is missing
};

class PlainUnpacker : public Unpacker {
 public:
  Status step(std::string_view& bytes, std::string& out) override {
    out += std::exchange(bytes, {});
    return {};
  }
  bool at_end() const override { return true; }
};

class GzipUnpacker : public Unpacker {
 public:
  GzipUnpacker() { ok_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~GzipUnpacker() override { inflateEnd(&stream_); }

  Status step(std::string_view& bytes, std::string& out) override {
    if (!ok_) return wherestar::fail(ErrorCode::kInternal, "zlib does not start");
    if (at_end_ && inflateReset(&stream_) != Z_OK) {  // the next member
      return wherestar::fail(ErrorCode::kInternal, "zlib does not start again");
    }
    at_end_ = false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    bytes.remove_prefix(bytes.size() - stream_.avail_in);
    out.append(buffer_.data(), buffer_.size() - stream_.avail_out);
    at_end_ = status == Z_STREAM_END;
    is_full_ = stream_.avail_out == 0 && !at_end_;
    if (!at_end_ && status != Z_OK && status != Z_BUF_ERROR) {
      return wherestar::fail(ErrorCode::kIo, "damaged gzip data");
    }
    return {};
  }
  bool is_full() const override { return is_full_; }
  bool at_end() const override { return at_end_; }

 private:
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(kChunkBytes);
  bool ok_ = false;
  bool is_full_ = false;
  bool at_end_ = false;
};

class ZstdUnpacker : public Unpacker {
 public:
  ZstdUnpacker() : stream_(ZSTD_createDCtx()) {
    if (stream_ != nullptr) {
      ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxZstdWindowLog);
    }
  }
  ~ZstdUnpacker() override { ZSTD_freeDCtx(stream_); }

  Status step(std::string_view& bytes, std::string& out) override {
    if (stream_ == nullptr) return wherestar::fail(ErrorCode::kInternal, "zstd does not start");
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer piece{buffer_.data(), buffer_.size(), 0};
    const size_t status = ZSTD_decompressStream(stream_, &piece, &in);
    if (ZSTD_isError(status) != 0) {
      return wherestar::fail(ErrorCode::kIo,
                             std::string("damaged zstd data: ") + ZSTD_getErrorName(status));
    }
    bytes.remove_prefix(in.pos);
    out.append(buffer_.data(), piece.pos);
    at_end_ = status == 0;
    is_full_ = piece.pos == piece.size && !at_end_;
    return {};
  }
  bool is_full() const override { return is_full_; }
  bool at_end() const override { return at_end_; }

 private:
  ZSTD_DCtx* stream_;
  std::vector<char> buffer_ = std::vector<char>(kChunkBytes);
  bool is_full_ = false;
  bool at_end_ = false;
};

std::unique_ptr<Unpacker> make_unpacker(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1f\x8b")) return std::make_unique<GzipUnpacker>();
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdUnpacker>();
  return std::make_unique<PlainUnpacker>();
}

class DescriptorInput : public Input {
 public:
  DescriptorInput(int descriptor, std::string name, uint64_t total)
      : descriptor_(descriptor), name_(std::move(name)), total_(total) {}
  ~DescriptorInput() override {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }

  Result<bool> read(std::string& out) override {
    const size_t before = out.size();
    while (out.size() == before) {
      if (rest_.empty() && (unpacker_ == nullptr || !unpacker_->is_full())) {
        ASSIGN_OR_RETURN(const bool more, read_raw());
        if (!more) return false;
      }
      if (Status done = unpacker_->step(rest_, out); !done) return fail_in(name_, done.error());
    }
    return true;
  }
  uint64_t bytes_read() const override { return done_; }
  uint64_t bytes_total() const override { return total_; }
  const std::string& name() const override { return name_; }

 private:
  // The next bytes of the file to `rest_`; false at its end.
  Result<bool> read_raw() {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, raw_.data(), raw_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      return wherestar::fail(ErrorCode::kIo, name_ + ": cannot read: " + std::strerror(errno));
    }
    if (got == 0) {
      if (unpacker_ != nullptr && !unpacker_->at_end()) {
        return wherestar::fail(ErrorCode::kIo, name_ + ": packed data is cut off");
      }
      return false;
    }
    rest_ = std::string_view(raw_.data(), static_cast<size_t>(got));
    done_ += rest_.size();
    if (unpacker_ == nullptr) unpacker_ = make_unpacker(rest_);
    return true;
  }

  int descriptor_;
  std::string name_;
  uint64_t total_;
  uint64_t done_ = 0;
  std::vector<char> raw_ = std::vector<char>(kChunkBytes);
  std::string_view rest_;  // of raw_, not unpacked yet
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace

Result<std::unique_ptr<Input>> Input::open(const std::string& name) {
  if (name == "-") {
    return std::unique_ptr<Input>(std::make_unique<DescriptorInput>(STDIN_FILENO, "<stdin>", 0));
  }
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const char* why = errno == ENOENT ? "no such file" : std::strerror(errno);
    return wherestar::fail(ErrorCode::kIo, name + ": " + why);
  }
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return wherestar::fail(ErrorCode::kIo, name + ": is a directory");
  }
  const uint64_t total =
      known && S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
  return std::unique_ptr<Input>(std::make_unique<DescriptorInput>(descriptor, name, total));
}

std::vector<std::string> expand_names(const std::vector<std::string>& names) {
  std::vector<std::string> expanded;
  for (const std::string& name : names) {
    std::error_code ignored;
    // `shop.*` and `*` are collections, whatever files lie around.
    const bool collections = name == "*" || name.ends_with(".*");
    const bool pattern = !collections && name.find_first_of("*?[") != std::string::npos;
    glob_t found{};
    if (pattern && !std::filesystem::exists(name, ignored) &&
        glob(name.c_str(), 0, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) expanded.emplace_back(found.gl_pathv[i]);
    } else {
      expanded.push_back(name);
    }
    globfree(&found);
  }
  return expanded;
}

std::string near_file(const std::string& name) {
  static constexpr size_t kLookedAt = 10'000;
  const std::filesystem::path path(name);
  std::error_code error;
  if (name == "-" || std::filesystem::exists(path, error)) return {};
  const std::filesystem::path parent = path.parent_path();
  std::filesystem::directory_iterator entry(parent.empty() ? "." : parent, error);
  std::vector<std::string> names;
  for (; !error && entry != std::filesystem::directory_iterator() && names.size() < kLookedAt;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return did_you_mean(path.filename().string(), names);
}

std::string collection_name_of(const std::string& file_name) {
  if (file_name == "-") return "stdin";
  std::filesystem::path path = std::filesystem::path(file_name).filename();
  if (path.extension() == ".gz" || path.extension() == ".zst") path = path.stem();
  if (path.has_stem() && path.has_extension()) path = path.stem();
  return path.string();
}

}  // namespace wherestar::tools
