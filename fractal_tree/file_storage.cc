#include "fractal_tree/file_storage.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <unistd.h>

namespace wherestar::fractal_tree {
namespace {

constexpr std::string_view kManifestName = "manifest";
constexpr std::string_view kManifestTemporary = "manifest.tmp";
constexpr std::string_view kLockName = "lock";
constexpr std::string_view kReserveName = "reserve";
constexpr std::string_view kTreeSuffix = ".tree";

std::optional<uint32_t> parse_tree_name(std::string_view name) {
  if (!name.ends_with(kTreeSuffix)) return std::nullopt;
  const std::string_view digits = name.substr(0, name.size() - kTreeSuffix.size());
  uint32_t id = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() ||
      std::to_string(id) != digits)
    return std::nullopt;
  return id;
}

Result<StoreId> random_store_id() {
  StoreId id;
  if (::getentropy(&id, sizeof id) != 0)
    return fail(ErrorCode::kIo, "the system gives no random bytes");
  return id;
}

}  // namespace

Result<std::unique_ptr<FileStorage>> FileStorage::open(const std::string& directory,
                                                       const StorageOptions& options) {
  std::unique_ptr<FileStorage> storage(new FileStorage(directory, options));
  FileSystem& fs = *options.file_system;
  if (options.read_only) {
    ASSIGN_OR_RETURN(const bool exists, fs.exists(storage->path(kManifestName)));
    if (!exists) return fail(ErrorCode::kNotFound, directory + ": there is no store");
  } else {
    RETURN_IF_ERROR(fs.create_directories(directory));
  }
  ASSIGN_OR_RETURN(storage->lock_, fs.lock(storage->path(kLockName)));
  RETURN_IF_ERROR(storage->load());
  return storage;
}

void FileStorage::say(std::string_view line) const {
  if (options_.log_line) options_.log_line(line);
}

Status FileStorage::load() {
  FileSystem& fs = *options_.file_system;
  ASSIGN_OR_RETURN(const bool exists, fs.exists(path(kManifestName)));
  if (exists) {
    ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                     fs.open(path(kManifestName), OpenMode::kRead));
    ASSIGN_OR_RETURN(const uint64_t bytes, file->size());
    if (bytes > kMaxManifestBytes)
      return fail(ErrorCode::kCorruption, path(kManifestName) + ": too large");
    ASSIGN_OR_RETURN(const std::string text, file->read_at(0, bytes));
    auto manifest = decode_manifest(text);
    if (!manifest) return fail_in(path(kManifestName), std::move(manifest).error());
    manifest_ = *std::move(manifest);
  } else {
    RETURN_IF_ERROR(check_no_other_files());
    RETURN_IF_ERROR(create());
  }
  RETURN_IF_ERROR(open_dictionaries());
  ASSIGN_OR_RETURN(
      log_, FileLog::open({{options_.file_system, directory_, manifest_.store},
                           options_.log_segment_bytes,
                           options_.read_only},
                          static_cast<uint64_t>(manifest_.root.log_start), manifest_.log_segment));
  if (options_.read_only) return {};
  RETURN_IF_ERROR(find_reserve());
  RETURN_IF_ERROR(remove_orphans());
  // Names that a process before this one left unsynced are relied on from here.
  return fs.sync_directory(directory_);
}

Status FileStorage::check_no_other_files() {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, options_.file_system->list(directory_));
  for (const std::string& name : names) {
    if (parse_tree_name(name) || parse_segment_name(name))
      return fail(ErrorCode::kCorruption,
                  path(kManifestName) + ": is missing, but there is " + name);
  }
  return {};
}

Status FileStorage::create() {
  ASSIGN_OR_RETURN(manifest_.store, random_store_id());
  ASSIGN_OR_RETURN(const std::string bytes, encode_manifest(manifest_));
  return replace_file(*options_.file_system, path(kManifestName), bytes);
}

DictionaryPlace FileStorage::place(uint32_t id) const {
  return {options_.file_system, directory_, manifest_.store, id, options_.read_only};
}

Status FileStorage::open_dictionaries() {
  for (size_t i = 0; i < manifest_.root.dictionaries.size(); ++i) {
    const auto id = static_cast<uint32_t>(manifest_.root.dictionaries[i].id);
    ASSIGN_OR_RETURN(dictionaries_[id],
                     DictionaryFile::open(place(id), manifest_.header_checkpoints[i]));
    const BlockId root = manifest_.root.dictionaries[i].root;
    if (root != kNoBlock && !dictionaries_[id]->contains(root))
      return fail(ErrorCode::kCorruption, directory_ + "/" + dictionaries_[id]->describe(root) +
                                              ": the root is not in the block table");
  }
  return {};
}

Status FileStorage::remove_orphans() {
  FileSystem& fs = *options_.file_system;
  std::set<uint32_t> known;
  for (const auto& [id, dictionary] : dictionaries_)
    if (dictionary->checkpoint() != 0) known.insert(id);
  ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.list(directory_));
  for (const std::string& name : names) {
    const auto id = parse_tree_name(name);
    if ((id && !known.contains(*id)) || name == kManifestTemporary) {
      say("removing " + name + ", which no checkpoint knows");
      RETURN_IF_ERROR(fs.remove(path(name)));
    }
  }
  return {};
}

Result<BlockStore*> FileStorage::blocks(DictionaryId id) {
  const std::lock_guard lock(mutex_);
  auto& dictionary = dictionaries_[static_cast<uint32_t>(id)];
  if (!dictionary) {
    ASSIGN_OR_RETURN(dictionary, DictionaryFile::open(place(static_cast<uint32_t>(id)), 0));
  }
  return dictionary.get();
}

Status FileStorage::replay(const std::function<Status(LogRecord)>& record) {
  return log_->replay(record);
}

Status FileStorage::check_next(const StoreRoot& next) {
  if (options_.read_only)
    return fail(ErrorCode::kReadOnly, directory_ + ": the store is open for reading only");
  if (poisoned_)
    return fail(ErrorCode::kPoisoned, "a checkpoint failed before: " + poisoned_->message);
  if (next.checkpoint <= manifest_.root.checkpoint)
    return fail(ErrorCode::kInvalidArgument, "a checkpoint number that does not rise");
  if (next.log_start < manifest_.root.log_start || next.log_start > log_->end())
    return fail(ErrorCode::kInvalidArgument, "a log start that falls or is beyond the log's end");
  return {};
}

Result<Manifest> FileStorage::prepare(const StoreRoot& next,
                                      std::vector<DictionaryFile*>& changed) {
  Manifest manifest{manifest_.store, log_->newest_segment(), next, {}};
  std::sort(manifest.root.dictionaries.begin(), manifest.root.dictionaries.end(),
            [](const DictionaryRoot& a, const DictionaryRoot& b) { return a.id < b.id; });
  for (const DictionaryRoot& root : manifest.root.dictionaries) {
    DictionaryFile* file = nullptr;
    {
      const std::lock_guard lock(mutex_);
      auto& dictionary = dictionaries_[static_cast<uint32_t>(root.id)];
      if (!dictionary) {
        ASSIGN_OR_RETURN(dictionary,
                         DictionaryFile::open(place(static_cast<uint32_t>(root.id)), 0));
      }
      file = dictionary.get();
    }
    if (root.root != kNoBlock && !file->contains(root.root))
      return fail(ErrorCode::kInvalidArgument, file->describe(root.root) + ": no such root block");
    changed.push_back(file);  // before it begins, so that a failure aborts it too
    ASSIGN_OR_RETURN(const bool has_changed, file->prepare(next.checkpoint));
    if (!has_changed) changed.pop_back();
    manifest.header_checkpoints.push_back(has_changed ? next.checkpoint : file->checkpoint());
  }
  return manifest;
}

Status FileStorage::poison(Status status) {
  if (!status && !poisoned_) poisoned_ = status.error();
  return status;
}

Status FileStorage::sync_files(const std::vector<DictionaryFile*>& changed) {
  bool has_new_file = false;
  for (DictionaryFile* file : changed) {
    RETURN_IF_ERROR(poison(file->sync()));
    if (file->checkpoint() == 0) has_new_file = true;
  }
  if (has_new_file) RETURN_IF_ERROR(poison(options_.file_system->sync_directory(directory_)));
  return {};
}

// As replace_file, but the steps that may be tried again are told from those that may not.
Status FileStorage::write_manifest(const std::string& bytes) {
  FileSystem& fs = *options_.file_system;
  {
    ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                     fs.open(path(kManifestTemporary), OpenMode::kCreateOrOpen));
    RETURN_IF_ERROR(file->truncate(0));
    RETURN_IF_ERROR(file->write_at(0, bytes));
    RETURN_IF_ERROR(poison(file->sync()));
  }
  RETURN_IF_ERROR(poison(fs.rename(path(kManifestTemporary), path(kManifestName))));
  return poison(fs.sync_directory(directory_));
}

Status FileStorage::publish(const StoreRoot& next,
                            const std::function<void(std::string_view)>& at) {
  RETURN_IF_ERROR(check_next(next));
  if (at) at("checkpoint header");
  std::vector<DictionaryFile*> changed;
  auto prepared = prepare(next, changed);
  Status status;
  if (prepared) {
    status = sync_files(changed);
    if (status && at) at("checkpoint manifest");
    if (status) {
      auto bytes = encode_manifest(*prepared);
      status = bytes ? write_manifest(*bytes) : Status(std::unexpected(std::move(bytes).error()));
    }
  } else {
    status = std::unexpected(std::move(prepared).error());
  }
  if (!status) {
    // After a poisoning failure either root may be on the disk: then nothing is reused at all.
    if (!poisoned_)
      for (DictionaryFile* file : changed) file->abort();
    return status;
  }
  for (DictionaryFile* file : changed) file->commit();
  drop_missing(next);
  manifest_ = *std::move(prepared);
  log_->allow_trim(next.log_start);
  if (const Status trimmed = log_->trim(next.log_start); !trimmed)
    say("the log could not be trimmed: " + trimmed.error().message);
  return {};
}

Status FileStorage::find_reserve() {
  FileSystem& fs = *options_.file_system;
  ASSIGN_OR_RETURN(const bool exists, fs.exists(path(kReserveName)));
  if (!exists) return {};
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(path(kReserveName), OpenMode::kRead));
  ASSIGN_OR_RETURN(const uint64_t bytes, file->size());
  const std::lock_guard lock(reserve_mutex_);
  has_reserve_ = bytes > 0;
  return {};
}

bool FileStorage::has_reserve() const {
  const std::lock_guard lock(reserve_mutex_);
  return options_.reserve_bytes == 0 || has_reserve_;
}

Status FileStorage::take_reserve() {
  const std::lock_guard lock(reserve_mutex_);
  if (options_.reserve_bytes == 0 || has_reserve_) return {};
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                   options_.file_system->open(path(kReserveName), OpenMode::kCreateOrOpen));
  if (Status taken = file->allocate(0, options_.reserve_bytes); !taken) {
    static_cast<void>(file->truncate(0).has_value());  // what it got of it is of no use
    return taken;
  }
  has_reserve_ = true;
  return {};
}

void FileStorage::release_reserve() {
  const std::lock_guard lock(reserve_mutex_);
  if (!std::exchange(has_reserve_, false)) return;
  const auto file = options_.file_system->open(path(kReserveName), OpenMode::kReadWrite);
  if (!file || !(*file)->truncate(0)) say("the reserve could not be released");
}

void FileStorage::give_back_space() {
  std::vector<DictionaryFile*> files;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, dictionary] : dictionaries_)
      if (dictionary) files.push_back(dictionary.get());
  }
  for (DictionaryFile* file : files) file->give_back_space();
}

void FileStorage::drop_missing(const StoreRoot& next) {
  std::set<DictionaryId> kept;
  for (const DictionaryRoot& root : next.dictionaries) kept.insert(root.id);
  for (const DictionaryRoot& root : manifest_.root.dictionaries) {
    if (kept.contains(root.id)) continue;
    const std::lock_guard lock(mutex_);
    const auto found = dictionaries_.find(static_cast<uint32_t>(root.id));
    if (found == dictionaries_.end()) continue;
    dropped_.push_back(std::move(found->second));
    dictionaries_.erase(found);
    // What stays behind is removed at the next open.
    const std::string name = place(static_cast<uint32_t>(root.id)).path();
    const auto exists = options_.file_system->exists(name);
    if (!exists || !*exists) continue;
    if (const Status removed = options_.file_system->remove(name); !removed)
      say("a dropped dictionary's file stays: " + removed.error().message);
  }
}

Result<std::unique_ptr<Storage>> open_file_storage(const std::string& directory,
                                                   const StorageOptions& options) {
  StorageOptions complete = options;
  if (complete.file_system == nullptr) complete.file_system = &posix_file_system();
  ASSIGN_OR_RETURN(std::unique_ptr<FileStorage> storage, FileStorage::open(directory, complete));
  return storage;
}

}  // namespace wherestar::fractal_tree
