#include "base/memory_file.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace wherestar {

std::string MemoryImage::read(uint64_t offset, uint64_t size) const {
  std::string bytes(size, '\0');
  uint64_t done = 0;
  while (done < size) {
    const uint64_t at = (offset + done) % kPageBytes;
    const uint64_t count = std::min(size - done, kPageBytes - at);
    if (const auto& page = pages_[(offset + done) / kPageBytes])
      std::memcpy(bytes.data() + done, page->data() + at, count);
    done += count;
  }
  return bytes;
}

void MemoryImage::write(uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (offset + bytes.size() > size_) resize(offset + bytes.size());
  while (!bytes.empty()) {
    auto& page = pages_[offset / kPageBytes];
    const uint64_t at = offset % kPageBytes;
    const uint64_t count = std::min<uint64_t>(bytes.size(), kPageBytes - at);
    const bool zeros = std::all_of(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count),
                                   [](char byte) { return byte == 0; });
    if (zeros && (count == kPageBytes || !page)) {
      page = nullptr;
    } else {
      auto changed = page ? std::make_shared<Page>(*page) : std::make_shared<Page>();
      std::memcpy(changed->data() + at, bytes.data(), count);
      page = std::move(changed);
    }
    bytes.remove_prefix(count);
    offset += count;
  }
}

void MemoryImage::resize(uint64_t size) {
  pages_.resize((size + kPageBytes - 1) / kPageBytes);
  const uint64_t at = size % kPageBytes;
  if (size < size_ && at != 0 && pages_.back()) {
    auto changed = std::make_shared<Page>(*pages_.back());
    std::memset(changed->data() + at, 0, kPageBytes - at);
    pages_.back() = std::move(changed);
  }
  size_ = size;
}

void MemoryImage::copy_pages(const MemoryImage& from, uint64_t offset, uint64_t size) {
  if (offset + size > size_) resize(offset + size);
  for (uint64_t i = offset / kPageBytes; i * kPageBytes < offset + size; ++i)
    if (i < from.pages_.size()) pages_[i] = from.pages_[i];
}

void MemoryFile::write(uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  content_.write(offset, bytes);
  pending_.push_back({offset, std::string(bytes), std::nullopt});
}

void MemoryFile::resize(uint64_t size) {
  content_.resize(size);
  pending_.push_back({0, {}, size});
}

void MemoryFile::sync() {
  std::unordered_set<uint64_t> pages;
  for (const Change& change : pending_) {
    if (change.new_size) {
      synced_.resize(*change.new_size);
      std::erase_if(uncertain_, [&](const Change& old) {
        return old.new_size || old.offset >= *change.new_size;
      });
      continue;
    }
    synced_.copy_pages(content_, change.offset, change.bytes.size());
    if (uncertain_.empty()) continue;
    for (uint64_t i = change.offset / MemoryImage::kPageBytes;
         i * MemoryImage::kPageBytes < change.offset + change.bytes.size(); ++i)
      pages.insert(i);
  }
  std::erase_if(uncertain_, [&](const Change& old) {
    return !old.new_size && pages.contains(old.offset / MemoryImage::kPageBytes);
  });
  if (uncertain_.empty()) synced_.resize(content_.size());
  pending_.clear();
}

void MemoryFile::fail_sync() {
  for (Change& change : pending_) {
    if (change.new_size) {
      uncertain_.push_back(std::move(change));
      continue;
    }
    const std::string_view bytes = change.bytes;
    for (uint64_t done = 0; done < bytes.size();) {
      const uint64_t offset = change.offset + done;
      const uint64_t count = std::min<uint64_t>(
          bytes.size() - done, MemoryImage::kPageBytes - offset % MemoryImage::kPageBytes);
      uncertain_.push_back({offset, std::string(bytes.substr(done, count)), std::nullopt});
      done += count;
    }
  }
  pending_.clear();
}

void MemoryFile::flip(uint64_t offset, uint8_t mask) {
  for (MemoryImage* image : {&content_, &synced_}) {
    if (offset >= image->size()) continue;
    std::string byte = image->read(offset, 1);
    byte[0] = static_cast<char>(static_cast<uint8_t>(byte[0]) ^ mask);
    image->write(offset, byte);
  }
}

void MemoryFile::crash_write(MemoryImage& image, const Change& change, std::mt19937_64& random,
                             const CrashOptions& options) {
  std::bernoulli_distribution keep(options.keep_probability);
  std::bernoulli_distribution tear(options.tear_sectors && options.keep_probability < 1 ? 0.125
                                                                                        : 0.0);
  const std::string_view bytes = change.bytes;
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t offset = change.offset + done;
    const uint64_t count =
        std::min<uint64_t>(bytes.size() - done, kSectorBytes - offset % kSectorBytes);
    std::string_view sector = bytes.substr(done, count);
    done += count;
    if (!keep(random)) continue;
    if (tear(random)) sector = sector.substr(0, random() % sector.size());
    image.write(offset, sector);
  }
}

std::shared_ptr<MemoryFile> MemoryFile::crash(std::mt19937_64& random,
                                              const CrashOptions& options) const {
  auto file = std::make_shared<MemoryFile>();
  file->synced_ = synced_;
  std::bernoulli_distribution keep(options.keep_probability);
  for (const auto* changes : {&uncertain_, &pending_}) {
    for (const Change& change : *changes) {
      if (!change.new_size)
        crash_write(file->synced_, change, random, options);
      else if (keep(random))
        file->synced_.resize(*change.new_size);
    }
  }
  file->content_ = file->synced_;
  return file;
}

}  // namespace wherestar
