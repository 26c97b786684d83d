#include "fractal_tree/fold.h"

#include <algorithm>

#include "fractal_tree/merge_kinds.h"

namespace wherestar::fractal_tree {

constexpr uint64_t kNoSequence = uint64_t{1} << 62;  // own batches begin here

bool snapshot_between(const Snapshots& snapshots, uint64_t older, uint64_t newer) {
  const auto first = std::lower_bound(snapshots.begin(), snapshots.end(), older);
  return first != snapshots.end() && *first < newer;
}

void Folder::drop(EntryKind kind, std::string_view value) {
  if (kind == EntryKind::kPutOverflow && options_.dropped_overflow)
    options_.dropped_overflow(value);
}

// `upper` is a merge; below it comes another version of the same group.
Status Folder::add_below(Kept& upper, EntryKind kind, std::string_view value) {
  const auto merge_kind = static_cast<MergeKind>(upper.kind);
  if (is_merge(kind)) {
    if (kind != upper.kind) return {};  // a key has one kind; the newer one counts
    ASSIGN_OR_RETURN(upper.owned, merge_operands(merge_kind, value, upper.bytes()));
    return {};
  }
  std::string base;
  if (kind == EntryKind::kPut) base = value;
  if (kind == EntryKind::kPutOverflow) {
    if (!options_.read_overflow)
      return fail(ErrorCode::kInternal, "a merge onto an overflow value without its reader");
    ASSIGN_OR_RETURN(base, options_.read_overflow(value));
    drop(kind, value);
  }
  ASSIGN_OR_RETURN(upper.owned, apply_operand(merge_kind, base, upper.bytes()));
  upper.kind = means_absent(merge_kind, upper.owned) ? EntryKind::kErase : EntryKind::kPut;
  upper.value = {};
  if (upper.kind == EntryKind::kErase) upper.owned.clear();
  return {};
}

Status Folder::group(std::span<const Entry> versions, std::vector<Kept>& kept) {
  for (const Entry& version : versions) {
    const bool new_group = kept.empty() || snapshot_between(*options_.snapshots, version.sequence,
                                                            kept.back().sequence);
    if (new_group) {
      kept.push_back({version.sequence, version.kind, version.value, {}});
    } else if (is_merge(kept.back().kind)) {
      RETURN_IF_ERROR(add_below(kept.back(), version.kind, version.value));
    } else {
      drop(version.kind, version.value);  // shadowed
    }
  }
  return {};
}

// Oldest first: every version becomes a put or an erase; what erases nothing goes.
Status Folder::settle_at_bottom(std::vector<Kept>& kept) {
  std::string_view base;
  EntryKind base_kind = EntryKind::kErase;
  for (size_t i = kept.size(); i-- > 0;) {
    Kept& version = kept[i];
    if (is_merge(version.kind)) {
      const auto kind = static_cast<MergeKind>(version.kind);
      std::string below;
      if (base_kind == EntryKind::kPut) below = base;
      if (base_kind == EntryKind::kPutOverflow) {
        ASSIGN_OR_RETURN(below, options_.read_overflow(base));
      }
      ASSIGN_OR_RETURN(version.owned, apply_operand(kind, below, version.bytes()));
      version.value = {};
      version.kind = means_absent(kind, version.owned) ? EntryKind::kErase : EntryKind::kPut;
      if (version.kind == EntryKind::kErase) version.owned.clear();
    }
    base = version.bytes();
    base_kind = version.kind;
  }
  while (!kept.empty() && kept.back().kind == EntryKind::kErase) kept.pop_back();
  const Snapshots& snapshots = *options_.snapshots;
  if (!kept.empty() && (snapshots.empty() || kept.back().sequence <= snapshots.front()))
    kept.back().sequence = 0;
  return {};
}

Status Folder::fold(std::string_view key, std::span<const Entry> versions, RunBuilder& out) {
  if (versions.size() == 1 && (!options_.bottom || is_put(versions.front().kind))) {
    Entry only = versions.front();  // the usual case
    const Snapshots& snapshots = *options_.snapshots;
    if (options_.bottom && (snapshots.empty() || only.sequence <= snapshots.front()))
      only.sequence = 0;
    out.add(only);
    return {};
  }
  kept_.clear();
  RETURN_IF_ERROR(group(versions, kept_));
  if (options_.bottom) RETURN_IF_ERROR(settle_at_bottom(kept_));
  for (const Kept& version : kept_) {
    if (version.kind != EntryKind::kPutOverflow && version.bytes().size() > kMaxValueBytes)
      return fail(ErrorCode::kLimitExceeded, "a merged value over its limit");
    out.add({key, version.sequence, version.kind, version.bytes()});
  }
  return {};
}

namespace {

// Versions of a key with the erases that ranges add, newest first.
void add_range_erases(std::string_view key, std::span<const RangeErase> ranges,
                      std::vector<Entry>& versions) {
  bool added = false;
  for (const RangeErase& range : ranges) {
    if (!range.covers(key)) continue;
    versions.push_back({key, range.sequence, EntryKind::kErase, {}});
    added = true;
  }
  if (!added) return;
  std::stable_sort(versions.begin(), versions.end(),
                   [](const Entry& a, const Entry& b) { return a.sequence > b.sequence; });
  // Two ranges of one commit may cover the key.
  const auto same = [](const Entry& a, const Entry& b) { return a.sequence == b.sequence; };
  versions.erase(std::unique(versions.begin(), versions.end(), same), versions.end());
}

}  // namespace

Status merge_slices(std::span<const RunSlice> slices, std::span<const RangeErase> ranges,
                    const FoldOptions& options, RunBuilder& out,
                    const std::function<void(std::string_view)>& before_key) {
  struct Head {
    std::string_view key;
    size_t at;
  };
  std::vector<Head> heads(slices.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    heads[i].at = slices[i].begin;
    if (slices[i].begin < slices[i].end) heads[i].key = slices[i].run->key(slices[i].begin);
  }
  Folder folder(options);
  std::vector<Entry> versions;
  for (;;) {
    size_t least = slices.size();
    for (size_t i = 0; i < slices.size(); ++i) {
      if (heads[i].at >= slices[i].end) continue;
      if (least == slices.size() || heads[i].key < heads[least].key) least = i;
    }
    if (least == slices.size()) return {};
    const std::string_view key = heads[least].key;
    versions.clear();
    for (size_t i = least; i < slices.size(); ++i) {
      Head& head = heads[i];
      while (head.at < slices[i].end && head.key == key) {
        versions.push_back(slices[i].run->entry(head.at));
        if (++head.at < slices[i].end) head.key = slices[i].run->key(head.at);
      }
    }
    const auto newer = [](const Entry& a, const Entry& b) { return a.sequence > b.sequence; };
    if (options.max_sequence < kNoSequence) {
      std::erase_if(versions, [&](const Entry& version) {
        return version.sequence > options.max_sequence && version.sequence < kNoSequence;
      });
    }
    if (!std::is_sorted(versions.begin(), versions.end(), newer))
      std::stable_sort(versions.begin(), versions.end(), newer);
    if (!ranges.empty()) add_range_erases(key, ranges, versions);
    if (before_key) before_key(key);
    if (!versions.empty()) RETURN_IF_ERROR(folder.fold(key, versions, out));
  }
}

}  // namespace wherestar::fractal_tree
