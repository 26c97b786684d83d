#include "base/memory_file_system.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "base/memory_file.h"

namespace wherestar {
namespace {

using Names = std::map<std::string, std::shared_ptr<MemoryFile>>;

// A change of a directory that no sync_directory followed yet.
struct NameChange {
  enum Kind { kCreate, kRename, kRemove };
  Kind kind = kCreate;
  std::string path;
  std::string new_path;  // of a rename
  std::shared_ptr<MemoryFile> file;
};

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text.empty() ? "." : text;
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void apply_change(Names& names, const NameChange& change) {
  const auto found = names.find(change.path);
  const bool same = found != names.end() && found->second == change.file;
  switch (change.kind) {
    case NameChange::kCreate:
      names[change.path] = change.file;
      break;
    case NameChange::kRename:
      if (same) names.erase(found);
      names[change.new_path] = change.file;
      break;
    case NameChange::kRemove:
      if (same) names.erase(found);
      break;
  }
}

std::string_view name_of(FileCall call) {
  switch (call) {
    case FileCall::kOpen:
      return "open";
    case FileCall::kRead:
      return "read";
    case FileCall::kWrite:
      return "write";
    case FileCall::kSync:
      return "sync";
    case FileCall::kTruncate:
      return "truncate";
    case FileCall::kAllocate:
      return "allocate";
    case FileCall::kRename:
      return "rename";
    case FileCall::kRemove:
      return "remove";
    case FileCall::kSyncDirectory:
      return "sync directory";
  }
  return "call";
}

std::unexpected<Error> failed(ErrorCode code, const std::string& path, FileCall call,
                              std::string_view why) {
  return fail(code, path + ": " + std::string(name_of(call)) + ": " + std::string(why));
}

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

}  // namespace

struct MemoryFileSystem::State {
  using Observer = std::function<void(FileCall, const std::string&)>;

  mutable std::mutex mutex;  // guards all below
  Names names;
  Names synced_names;
  std::vector<NameChange> name_changes;
  std::set<std::string> directories{"/", "."};
  std::set<std::string> locked;
  uint64_t calls = 0;
  uint64_t reads = 0;
  uint64_t fail_call = kNever;
  uint64_t fail_read = kNever;
  ErrorCode fail_code = ErrorCode::kIo;
  bool fail_forever = false;
  uint64_t capacity_bytes = kNever;
  std::shared_ptr<const Observer> observer;

  void observe(FileCall call, const std::string& path) const {
    std::shared_ptr<const Observer> current;
    {
      const std::lock_guard lock(mutex);
      current = observer;
    }
    if (current && *current) (*current)(call, path);
  }

  // Counts a call; the error that is to be injected into it, if any.
  std::optional<ErrorCode> count_call() {
    const uint64_t number = calls++;
    const bool hit = number == fail_call || (fail_forever && number > fail_call);
    return hit ? std::optional(fail_code) : std::nullopt;
  }

  bool has_room(uint64_t more_bytes) const { return more_bytes <= free_bytes(); }
  uint64_t free_bytes() const {
    if (capacity_bytes == kNever) return kNever;
    uint64_t used = 0;
    for (const auto& [path, file] : names) used += file->content().size();
    return used < capacity_bytes ? capacity_bytes - used : 0;
  }

  void change_names(NameChange change) {
    apply_change(names, change);
    name_changes.push_back(std::move(change));
  }
};

namespace {

// State is private to MemoryFileSystem; naming it through a template keeps these classes here.
template <class State>
class OpenFile : public File {
 public:
  OpenFile(State& state, std::string path, std::shared_ptr<MemoryFile> file, bool writable)
      : state_(state), path_(std::move(path)), file_(std::move(file)), writable_(writable) {}

  Result<std::string> read_at(uint64_t offset, size_t size) override {
    const std::lock_guard lock(state_.mutex);
    if (state_.reads++ == state_.fail_read) return error(ErrorCode::kIo, FileCall::kRead);
    const uint64_t length = file_->content().size();
    if (offset > length || size > length - offset)
      return failed(
          ErrorCode::kIo, path_, FileCall::kRead,
          "short read of " + std::to_string(size) + " bytes at offset " + std::to_string(offset));
    return file_->content().read(offset, size);
  }

  Status write_at(uint64_t offset, std::string_view bytes) override {
    state_.observe(FileCall::kWrite, path_);
    const std::lock_guard lock(state_.mutex);
    const uint64_t number = state_.calls;
    auto code = state_.count_call();
    if (!writable_) return failed(ErrorCode::kIo, path_, FileCall::kWrite, "opened for reading");
    if (!code && !has_room_until(offset + bytes.size())) code = ErrorCode::kNoSpace;
    if (code) {
      std::mt19937_64 random(number);
      const uint64_t part = random() % (bytes.size() + 1);
      if (has_room_until(offset + part)) file_->write(offset, bytes.substr(0, part));
      return error(*code, FileCall::kWrite);
    }
    file_->write(offset, bytes);
    return {};
  }

  Status sync() override {
    state_.observe(FileCall::kSync, path_);
    const std::lock_guard lock(state_.mutex);
    if (const auto code = state_.count_call()) {
      file_->fail_sync();
      return error(*code, FileCall::kSync);
    }
    file_->sync();
    return {};
  }

  Status truncate(uint64_t size_bytes) override {
    state_.observe(FileCall::kTruncate, path_);
    const std::lock_guard lock(state_.mutex);
    if (const auto code = state_.count_call()) return error(*code, FileCall::kTruncate);
    if (!has_room_until(size_bytes)) return error(ErrorCode::kNoSpace, FileCall::kTruncate);
    file_->resize(size_bytes);
    return {};
  }

  Status allocate(uint64_t offset, uint64_t size_bytes) override {
    state_.observe(FileCall::kAllocate, path_);
    const std::lock_guard lock(state_.mutex);
    if (const auto code = state_.count_call()) return error(*code, FileCall::kAllocate);
    if (!has_room_until(offset + size_bytes))
      return error(ErrorCode::kNoSpace, FileCall::kAllocate);
    if (offset + size_bytes > file_->content().size()) file_->resize(offset + size_bytes);
    return {};
  }

  Status punch_hole(uint64_t offset, uint64_t size_bytes) override {
    const std::lock_guard lock(state_.mutex);
    const uint64_t length = file_->content().size();
    if (offset >= length) return {};
    file_->write(offset, std::string(std::min(size_bytes, length - offset), '\0'));
    return {};
  }

  Result<uint64_t> size() override {
    const std::lock_guard lock(state_.mutex);
    return file_->content().size();
  }

 private:
  bool has_room_until(uint64_t end) const {
    const uint64_t length = file_->content().size();
    return end <= length || state_.has_room(end - length);
  }
  std::unexpected<Error> error(ErrorCode code, FileCall call) const {
    return failed(code, path_, call, code == ErrorCode::kNoSpace ? "no space left" : "I/O error");
  }

  State& state_;
  const std::string path_;
  const std::shared_ptr<MemoryFile> file_;
  const bool writable_;
};

template <class State>
class HeldLock : public FileLock {
 public:
  HeldLock(State& state, std::string path) : state_(state), path_(std::move(path)) {}
  ~HeldLock() override {
    const std::lock_guard lock(state_.mutex);
    state_.locked.erase(path_);
  }

 private:
  State& state_;
  const std::string path_;
};

}  // namespace

MemoryFileSystem::MemoryFileSystem() : state_(std::make_unique<State>()) {}
MemoryFileSystem::MemoryFileSystem(std::unique_ptr<State> state) : state_(std::move(state)) {}
MemoryFileSystem::~MemoryFileSystem() = default;

Result<std::unique_ptr<File>> MemoryFileSystem::open(const std::string& raw_path, OpenMode mode) {
  const std::string path = normal(raw_path);
  if (mode != OpenMode::kRead) state_->observe(FileCall::kOpen, path);
  const std::lock_guard lock(state_->mutex);
  if (mode != OpenMode::kRead) {
    if (const auto code = state_->count_call())
      return failed(*code, path, FileCall::kOpen, "injected failure");
  }
  const auto found = state_->names.find(path);
  std::shared_ptr<MemoryFile> file;
  if (found != state_->names.end()) {
    if (mode == OpenMode::kCreateNew)
      return failed(ErrorCode::kAlreadyExists, path, FileCall::kOpen, "file exists");
    file = found->second;
  } else {
    const bool create = mode == OpenMode::kCreateNew || mode == OpenMode::kCreateOrOpen;
    if (!create || !state_->directories.contains(parent_of(path)))
      return failed(ErrorCode::kNotFound, path, FileCall::kOpen, "no such file or directory");
    file = std::make_shared<MemoryFile>();
    state_->change_names({NameChange::kCreate, path, {}, file});
  }
  return std::make_unique<OpenFile<State>>(*state_, path, std::move(file), mode != OpenMode::kRead);
}

Status MemoryFileSystem::create_directories(const std::string& raw_path) {
  const std::lock_guard lock(state_->mutex);
  for (std::string path = normal(raw_path); state_->directories.insert(path).second;)
    path = parent_of(path);
  return {};
}

Result<bool> MemoryFileSystem::exists(const std::string& path) {
  const std::lock_guard lock(state_->mutex);
  return state_->names.contains(normal(path)) || state_->directories.contains(normal(path));
}

Result<std::vector<std::string>> MemoryFileSystem::list(const std::string& raw_path) {
  const std::lock_guard lock(state_->mutex);
  const std::string path = normal(raw_path);
  if (!state_->directories.contains(path)) return fail(ErrorCode::kNotFound, path + ": list");
  std::vector<std::string> names;
  const auto add = [&](const std::string& entry) {
    if (entry != path && parent_of(entry) == path)
      names.push_back(entry.substr(entry.rfind('/') + 1));
  };
  for (const auto& [entry, file] : state_->names) add(entry);
  for (const std::string& entry : state_->directories) add(entry);
  std::sort(names.begin(), names.end());
  return names;
}

Status MemoryFileSystem::remove(const std::string& raw_path) {
  const std::string path = normal(raw_path);
  state_->observe(FileCall::kRemove, path);
  const std::lock_guard lock(state_->mutex);
  if (const auto code = state_->count_call())
    return failed(*code, path, FileCall::kRemove, "injected failure");
  const auto found = state_->names.find(path);
  if (found == state_->names.end())
    return failed(ErrorCode::kNotFound, path, FileCall::kRemove, "no such file");
  state_->change_names({NameChange::kRemove, path, {}, found->second});
  return {};
}

Status MemoryFileSystem::rename(const std::string& raw_from, const std::string& raw_to) {
  const std::string from = normal(raw_from);
  const std::string to = normal(raw_to);
  state_->observe(FileCall::kRename, from);
  const std::lock_guard lock(state_->mutex);
  if (const auto code = state_->count_call())
    return failed(*code, from, FileCall::kRename, "injected failure");
  const auto found = state_->names.find(from);
  if (found == state_->names.end() || !state_->directories.contains(parent_of(to)))
    return failed(ErrorCode::kNotFound, from, FileCall::kRename, "no such file or directory");
  if (from != to) state_->change_names({NameChange::kRename, from, to, found->second});
  return {};
}

Status MemoryFileSystem::sync_directory(const std::string& raw_path) {
  const std::string path = normal(raw_path);
  state_->observe(FileCall::kSyncDirectory, path);
  const std::lock_guard lock(state_->mutex);
  if (const auto code = state_->count_call())
    return failed(*code, path, FileCall::kSyncDirectory, "injected failure");
  if (!state_->directories.contains(path))
    return failed(ErrorCode::kNotFound, path, FileCall::kSyncDirectory, "no such directory");
  std::vector<NameChange> others;
  for (NameChange& change : state_->name_changes) {
    const bool here = parent_of(change.path) == path || parent_of(change.new_path) == path;
    if (here)
      apply_change(state_->synced_names, change);
    else
      others.push_back(std::move(change));
  }
  state_->name_changes = std::move(others);
  return {};
}

Result<std::unique_ptr<FileLock>> MemoryFileSystem::lock(const std::string& raw_path) {
  const std::string path = normal(raw_path);
  const std::lock_guard lock(state_->mutex);
  if (!state_->directories.contains(parent_of(path)))
    return fail(ErrorCode::kNotFound, path + ": lock: no such directory");
  if (!state_->locked.insert(path).second)
    return fail(ErrorCode::kLocked, path + ": held by this process");
  if (!state_->names.contains(path))
    state_->change_names({NameChange::kCreate, path, {}, std::make_shared<MemoryFile>()});
  return std::make_unique<HeldLock<State>>(*state_, path);
}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::crash_clone(uint64_t seed,
                                                                CrashOptions options) const {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution keep(options.keep_probability);
  auto copy = std::make_unique<State>();
  const std::lock_guard lock(state_->mutex);
  Names names = state_->synced_names;
  for (const NameChange& change : state_->name_changes)
    if (keep(random)) apply_change(names, change);
  std::map<const MemoryFile*, std::shared_ptr<MemoryFile>> files;
  for (const auto& [path, file] : names) {
    auto& crashed = files[file.get()];
    if (!crashed) crashed = file->crash(random, options);
    copy->names[path] = crashed;
  }
  copy->synced_names = copy->names;
  copy->directories = state_->directories;
  return std::unique_ptr<MemoryFileSystem>(new MemoryFileSystem(std::move(copy)));
}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::clone() const {
  auto copy = std::make_unique<State>();
  const std::lock_guard lock(state_->mutex);
  std::map<const MemoryFile*, std::shared_ptr<MemoryFile>> files;
  const auto cloned = [&](const std::shared_ptr<MemoryFile>& file) {
    auto& other = files[file.get()];
    if (!other) other = file->clone();
    return other;
  };
  for (const auto& [path, file] : state_->names) copy->names[path] = cloned(file);
  for (const auto& [path, file] : state_->synced_names) copy->synced_names[path] = cloned(file);
  copy->name_changes = state_->name_changes;
  for (NameChange& change : copy->name_changes) change.file = cloned(change.file);
  copy->directories = state_->directories;
  return std::unique_ptr<MemoryFileSystem>(new MemoryFileSystem(std::move(copy)));
}

uint64_t MemoryFileSystem::call_count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

void MemoryFileSystem::fail_at(uint64_t n, ErrorCode code, bool forever) {
  const std::lock_guard lock(state_->mutex);
  state_->fail_call = state_->calls + n;
  state_->fail_code = code;
  state_->fail_forever = forever;
}

void MemoryFileSystem::fail_reads_at(uint64_t n) {
  const std::lock_guard lock(state_->mutex);
  state_->fail_read = state_->reads + n;
}

void MemoryFileSystem::clear_failures() {
  const std::lock_guard lock(state_->mutex);
  state_->fail_call = kNever;
  state_->fail_read = kNever;
  state_->fail_forever = false;
}

Result<uint64_t> MemoryFileSystem::free_bytes(const std::string&) {
  const std::lock_guard lock(state_->mutex);
  return state_->free_bytes();
}

void MemoryFileSystem::set_capacity(uint64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->capacity_bytes = bytes;
}

void MemoryFileSystem::on_call(std::function<void(FileCall, const std::string& path)> observer) {
  auto shared = std::make_shared<const State::Observer>(std::move(observer));
  const std::lock_guard lock(state_->mutex);
  state_->observer = std::move(shared);
}

Status MemoryFileSystem::flip_byte(const std::string& path, uint64_t offset, uint8_t mask) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->names.find(normal(path));
  if (found == state_->names.end()) return fail(ErrorCode::kNotFound, path + ": no such file");
  if (offset >= found->second->content().size())
    return fail(ErrorCode::kInvalidArgument, path + ": offset behind the end");
  found->second->flip(offset, mask);
  return {};
}

}  // namespace wherestar
