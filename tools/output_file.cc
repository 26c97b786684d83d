#include "tools/output_file.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

namespace wherestar::tools {
namespace {

constexpr size_t kBufferBytes = 256u << 10;
constexpr int kZstdLevel = 3;

class PlainFile : public OutputFile {
 public:
  PlainFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~PlainFile() override {
    if (descriptor_ < 0) return;
    struct stat status {};
    const bool regular = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    ::close(descriptor_);
    if (regular) ::unlink(name_.c_str());  // never a device
  }

  Status write(std::string_view text) override {
    buffer_ += text;
    return buffer_.size() >= kBufferBytes ? flush() : Status{};
  }

  Status finish() override {
    RETURN_IF_ERROR(flush());
    struct stat status {};
    const bool regular = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && fsync(descriptor_) != 0) return failed("sync");
    const int descriptor = descriptor_;
    descriptor_ = -1;
    if (::close(descriptor) != 0) return failed("close");
    return {};
  }

 private:
  Status flush() {
    std::string_view rest = buffer_;
    while (!rest.empty()) {
      const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed("write");
      rest.remove_prefix(static_cast<size_t>(written));
    }
    buffer_.clear();
    return {};
  }

  Status failed(const char* call) const {
    const int error = errno;
    return wherestar::fail(
        error == ENOSPC || error == EDQUOT ? ErrorCode::kNoSpace : ErrorCode::kIo,
        name_ + ": " + call + ": " + std::strerror(error));
  }

  int descriptor_;
  std::string name_;
  std::string buffer_;
};

class GzipFile : public OutputFile {
 public:
  explicit GzipFile(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {
    ok_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipFile() override { deflateEnd(&stream_); }
  Status write(std::string_view text) override { return pack(text, Z_NO_FLUSH); }
  Status finish() override {
    RETURN_IF_ERROR(pack({}, Z_FINISH));
    return file_->finish();
  }

 private:
  Status pack(std::string_view text, int mode) {
    if (!ok_) return wherestar::fail(ErrorCode::kInternal, "zlib does not start");
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, mode);
      RETURN_IF_ERROR(file_->write({buffer_.data(), buffer_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0);
    return {};
  }

  std::unique_ptr<OutputFile> file_;
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
  bool ok_ = false;
};

class ZstdFile : public OutputFile {
 public:
  explicit ZstdFile(std::unique_ptr<OutputFile> file)
      : file_(std::move(file)), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) return;
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdFile() override { ZSTD_freeCCtx(context_); }
  Status write(std::string_view text) override { return pack(text, ZSTD_e_continue); }
  Status finish() override {
    RETURN_IF_ERROR(pack({}, ZSTD_e_end));
    return file_->finish();
  }

 private:
  Status pack(std::string_view text, ZSTD_EndDirective mode) {
    if (context_ == nullptr) return wherestar::fail(ErrorCode::kInternal, "zstd does not start");
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(context_, &out, &in, mode);
      if (ZSTD_isError(left) != 0) {
        return wherestar::fail(ErrorCode::kIo, std::string("zstd: ") + ZSTD_getErrorName(left));
      }
      RETURN_IF_ERROR(file_->write({buffer_.data(), out.pos}));
    } while (in.pos < in.size || (mode == ZSTD_e_end && left > 0));
    return {};
  }

  std::unique_ptr<OutputFile> file_;
  ZSTD_CCtx* context_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& name, bool overwrite) {
  const int mode = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (overwrite ? O_TRUNC : O_EXCL);
  const int descriptor = ::open(name.c_str(), mode, 0600);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EEXIST) return fail(ErrorCode::kAlreadyExists, name + ": exists already");
    if (error == ELOOP) return fail(ErrorCode::kIo, name + ": is a symbolic link, not followed");
    return fail(ErrorCode::kIo, name + ": " + std::strerror(error));
  }
  std::unique_ptr<OutputFile> file = std::make_unique<PlainFile>(descriptor, name);
  if (name.ends_with(".gz")) file = std::make_unique<GzipFile>(std::move(file));
  if (name.ends_with(".zst")) file = std::make_unique<ZstdFile>(std::move(file));
  return file;
}

}  // namespace wherestar::tools
