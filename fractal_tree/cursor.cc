// A cursor reads windows: a key range, small enough to be folded whole, of which every source
// (batches, fronts, buffers on the way down, one basement node) gives its slice. Inside a window
// it moves both ways; at the ends it reads the neighbouring window. Windows grow while a scan goes
// on, so that a short range costs little and a long one little per key.
#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "fractal_tree/view.h"

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kFirstWindowKeys = 64;
constexpr size_t kMaxWindowKeys = 4096;

// Collects slices of a range and narrows the range so that no slice is cut short inside of it.
struct Sources {
  std::vector<RunRef> runs;
  std::vector<RangeErase> ranges;
  std::string low;                  // inclusive; empty: the beginning
  std::optional<std::string> high;  // exclusive

  void take(RunRef run, uint64_t base = 0) {
    for (RangeErase range : run->ranges()) {
      range.sequence += base;
      ranges.push_back(std::move(range));
    }
    runs.push_back(std::move(run));
  }
  void lower_high(std::string_view key) {
    if (!high || key < *high) high = key;
  }
  void raise_low(std::string_view key) {
    if (key > low) low = key;
  }
};

RunRef lift(const RunRef& run, uint64_t base) {
  RunBuilder builder;
  for (size_t i = 0; i < run->size(); ++i) {
    Entry entry = run->entry(i);
    entry.sequence += base;
    builder.add(entry);
  }
  for (RangeErase range : run->ranges()) {
    range.sequence += base;
    builder.add_range(std::move(range));
  }
  return builder.finish();
}

class StoreCursor : public Cursor {
 public:
  StoreCursor(std::shared_ptr<const ReadPoint> point, DictionaryId dictionary,
              std::span<const WriteBatch* const> own)
      : point_(std::move(point)), dictionary_(dictionary), own_(own.begin(), own.end()) {
    if (!point_) return;
    const auto tree = point_->view().trees.find(dictionary);
    if (tree == point_->view().trees.end()) {
      status_ = fail(ErrorCode::kInvalidArgument, "no such dictionary");
    } else {
      nodes_ = &tree->second.tree->nodes();
      root_ = tree->second.version->root;
    }
  }

  void seek(std::string_view key) override {
    value_.reset();
    // Within the window already read: no descent.
    if (window_ && status_ && key >= low_ && (!high_ || key < *high_)) {
      at_ = window_->lower_bound(key);
      valid_ = at_ < window_->size();
      if (valid_) return load_value();
      if (!high_) return end();
      forward(std::string(*high_));
      return;
    }
    window_keys_ = kFirstWindowKeys;
    forward(std::string(key));
  }

  void seek_to_last_before(std::string_view key) override {
    value_.reset();
    window_keys_ = kFirstWindowKeys;
    backward(std::string(key));
  }
  void seek_to_first() override { seek(""); }
  void seek_to_last() override {
    value_.reset();
    window_keys_ = kFirstWindowKeys;
    backward(std::nullopt);
  }

  void next() override {
    if (!valid_) return;
    value_.reset();
    if (++at_ < window_->size()) return load_value();
    if (!high_) return end();
    window_keys_ = std::min(window_keys_ * 4, kMaxWindowKeys);
    forward(std::string(*high_));
  }

  void previous() override {
    if (!valid_) return;
    value_.reset();
    if (at_-- > 0) return load_value();
    if (low_.empty()) return end();
    window_keys_ = std::min(window_keys_ * 4, kMaxWindowKeys);
    backward(std::string(low_));
  }

  bool valid() const override { return valid_; }
  std::string_view key() const override { return window_->key(at_); }

  std::string_view value() const override {
    const Entry entry = window_->entry(at_);
    if (entry.kind != EntryKind::kPutOverflow) return entry.value;
    return value_ ? std::string_view(*value_) : std::string_view();
  }
  Status status() const override { return status_; }

 private:
  void end() {
    valid_ = false;
    window_.reset();
  }

  void fail_with(Status status) {
    status_ = std::move(status);
    end();
  }

  void forward(std::string from) {
    if (!status_) return;
    for (;;) {
      Sources sources;
      sources.low = std::move(from);
      if (Status status = collect_forward(sources); !status) return fail_with(std::move(status));
      if (Status status = fold(sources); !status) return fail_with(std::move(status));
      if (window_->size() > 0) {
        at_ = 0;
        valid_ = true;
        return load_value();
      }
      if (!high_) return end();
      from = *high_;
      window_keys_ = std::min(window_keys_ * 2, kMaxWindowKeys);
    }
  }

  void backward(std::optional<std::string> before) {
    if (!status_) return;
    for (;;) {
      if (before && before->empty()) return end();
      Sources sources;
      sources.high = std::move(before);
      if (Status status = collect_backward(sources); !status) return fail_with(std::move(status));
      if (Status status = fold(sources); !status) return fail_with(std::move(status));
      if (window_->size() > 0) {
        at_ = window_->size() - 1;
        valid_ = true;
        return load_value();
      }
      if (low_.empty()) return end();
      before = low_;
      window_keys_ = std::min(window_keys_ * 2, kMaxWindowKeys);
    }
  }

  // Large values are read when the cursor stands on them.
  void load_value() {
    if (!valid_) return;
    const Entry entry = window_->entry(at_);
    if (entry.kind != EntryKind::kPutOverflow || value_) return;
    auto value = nodes_->read_overflow(entry.value);
    if (!value) return fail_with(std::unexpected(std::move(value).error()));
    value_ = *std::move(value);
  }

  void take_changes(const Changes& changes, bool forwards, uint64_t base, Sources& sources) const {
    const uint64_t limit = base != 0 || !point_ ? ~uint64_t{0} : point_->sequence();
    std::string bound;
    const std::string* high = sources.high ? &*sources.high : nullptr;
    RunRef run = forwards ? changes.slice(sources.low, high, limit, window_keys_, &bound)
                          : changes.slice_before(sources.low, high, limit, window_keys_, &bound);
    if (!bound.empty()) forwards ? sources.lower_high(bound) : sources.raise_low(bound);
    sources.take(base == 0 ? std::move(run) : lift(run, base));
  }

  void collect_changes(bool forwards, Sources& sources) const {
    for (size_t layer = 0; layer < own_.size(); ++layer) {
      const auto& dictionaries = own_[layer]->contents().dictionaries;
      if (const auto found = dictionaries.find(dictionary_); found != dictionaries.end())
        take_changes(found->second, forwards, kOwnSequence + 2 * layer, sources);
    }
    if (!point_) return;
    const StoreView& view = point_->view();
    {
      const std::shared_lock lock(view.active->mutex());
      if (const Changes* changes = view.active->find(dictionary_))
        take_changes(*changes, forwards, 0, sources);
    }
    for (const auto& front : view.frozen)
      if (const Changes* changes = front->find(dictionary_))
        take_changes(*changes, forwards, 0, sources);
  }

  Status collect_forward(Sources& sources) const {
    if (nodes_ != nullptr) {
      NodeRef ref = root_;
      uint32_t above = kMaxHeight + 1;
      while (!ref.none()) {
        ASSIGN_OR_RETURN(const auto node, nodes_->load(ref));
        if (node->height >= above) return fail(ErrorCode::kCorruption, "a cycle in a tree");
        above = node->height;
        const size_t at = node->find_slot(sources.low);
        if (at + 1 < node->slots.size()) sources.lower_high(node->pivots[at]);
        RETURN_IF_ERROR(take_part(*node, at, sources));
        if (node->is_leaf()) {
          const RunRef& run = sources.runs.back();
          const size_t end = run->lower_bound(sources.low) + window_keys_;
          if (end < run->size()) sources.lower_high(run->key(end));
          break;
        }
        ref = node->slots[at].child;
      }
    }
    collect_changes(true, sources);
    return {};
  }

  Status collect_backward(Sources& sources) const {
    if (nodes_ != nullptr) {
      NodeRef ref = root_;
      uint32_t above = kMaxHeight + 1;
      while (!ref.none()) {
        ASSIGN_OR_RETURN(const auto node, nodes_->load(ref));
        if (node->height >= above) return fail(ErrorCode::kCorruption, "a cycle in a tree");
        above = node->height;
        size_t at = node->slots.size() - 1;
        if (sources.high)
          at = static_cast<size_t>(
              std::lower_bound(node->pivots.begin(), node->pivots.end(), *sources.high) -
              node->pivots.begin());
        if (at > 0) sources.raise_low(node->pivots[at - 1]);
        RETURN_IF_ERROR(take_part(*node, at, sources));
        if (node->is_leaf()) {
          const RunRef& run = sources.runs.back();
          const size_t end = sources.high ? run->lower_bound(*sources.high) : run->size();
          if (end > window_keys_) sources.raise_low(run->key(end - window_keys_));
          break;
        }
        ref = node->slots[at].child;
      }
    }
    collect_changes(false, sources);
    return {};
  }

  Status take_part(const Node& node, size_t at, Sources& sources) const {
    const Part& part = node.slots[at].part;
    if (part.empty() && !node.is_leaf()) return {};
    ASSIGN_OR_RETURN(RunRef run, nodes_->load(part));
    sources.take(std::move(run));
    return {};
  }

  // Entries of the range as one state: puts alone remain.
  Status fold(Sources& sources) {
    static const Snapshots kNone;
    FoldOptions options{.snapshots = &kNone,
                        .bottom = true,
                        .dropped_overflow = {},
                        .read_overflow = [this](std::string_view reference) {
                          return nodes_->read_overflow(reference);
                        }};
    if (point_) options.max_sequence = point_->sequence();
    std::vector<RunSlice> slices;
    for (RunRef& run : sources.runs) {
      const size_t begin = run->lower_bound(sources.low);
      const size_t end = sources.high ? run->lower_bound(*sources.high) : run->size();
      if (begin < end) slices.push_back({std::move(run), begin, end});
    }
    std::erase_if(sources.ranges, [&](const RangeErase& range) {
      return range.sequence > options.max_sequence && range.sequence < kOwnSequence;
    });
    RunBuilder builder;
    RETURN_IF_ERROR(merge_slices(slices, sources.ranges, options, builder, {}));
    window_ = builder.finish();
    low_ = std::move(sources.low);
    high_ = std::move(sources.high);
    return {};
  }

  std::shared_ptr<const ReadPoint> point_;
  DictionaryId dictionary_;
  std::vector<const WriteBatch*> own_;
  NodeStore* nodes_ = nullptr;
  NodeRef root_;

  RunRef window_;
  std::string low_;
  std::optional<std::string> high_;
  size_t at_ = 0;
  size_t window_keys_ = kFirstWindowKeys;
  bool valid_ = false;
  Status status_;
  std::optional<std::string> value_;
};

}  // namespace

std::unique_ptr<Cursor> make_cursor(std::shared_ptr<const ReadPoint> point, DictionaryId dictionary,
                                    std::span<const WriteBatch* const> own) {
  return std::make_unique<StoreCursor>(std::move(point), dictionary, own);
}

std::unique_ptr<Cursor> cursor_over_batches(DictionaryId dictionary,
                                            std::span<const WriteBatch* const> batches) {
  return make_cursor(nullptr, dictionary, batches);
}

}  // namespace wherestar::fractal_tree
