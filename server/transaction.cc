#include "server/transaction.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/coding.h"

namespace wherestar::server {

using fractal_tree::ReadView;
using fractal_tree::WriteBatch;

namespace {

// Names of savepoints are compared without regard to ASCII case, as MySQL's clients expect.
std::string folded(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::string document_name(PartId part, std::string_view id_key) {
  std::string name;
  put_big_endian(name, static_cast<uint32_t>(part));
  name += id_key;
  return name;
}

}  // namespace

Transaction::Transaction(StoreCore& core, Options options)
    : core_(core), id_{core.next_transaction.fetch_add(1)}, options_(options) {}

Transaction::~Transaction() {
  rollback();
}

bool Transaction::has_writes() const {
  return std::ranges::any_of(layers_, [](const auto& layer) { return !layer->changes.empty(); });
}

ReadView Transaction::snapshot_view() {
  if (!snapshot_) snapshot_ = core_.engine->snapshot();
  own_bridged_.clear();
  for (const auto& layer : layers_) {
    if (!layer->bridge.empty()) own_bridged_.push_back(&layer->bridge);
    own_bridged_.push_back(&layer->changes);
  }
  return {.snapshot = snapshot_.get(), .own = own_bridged_};
}

WriteBatch* Transaction::bridge(PartId part, std::string_view id_key) {
  if (!snapshot_) return nullptr;
  std::string name = document_name(part, id_key);
  for (const auto& layer : layers_)
    if (layer->bridged.contains(name)) return nullptr;
  layers_.back()->bridged.insert(std::move(name));
  return &layers_.back()->bridge;
}

void Transaction::push_layer() {
  layers_.push_back(std::make_unique<Layer>());
  own_.push_back(&layers_.back()->changes);
}

void Transaction::drop_layers(size_t keep) {
  layers_.resize(std::min(keep, layers_.size()));
  own_.resize(layers_.size());
  own_bridged_.clear();
}

// What was changed is locked since, so that a new snapshot needs no bridges.
void Transaction::begin_read() {
  if (!options_.read_committed) return;
  snapshot_.reset();
  for (const auto& layer : layers_) {
    layer->bridge = {};
    layer->bridged.clear();
  }
}

void Transaction::begin_statement(fractal_tree::Purpose purpose) {
  if (purpose == fractal_tree::Purpose::kWrite) purpose_ = purpose;
  push_layer();
}

void Transaction::end_statement() {
  if (layers_.empty()) return;
  const size_t marked = savepoints_.empty() ? 0 : savepoints_.back().layers;
  if (layers_.back()->changes.empty()) {
    drop_layers(layers_.size() - 1);
  } else if (layers_.size() >= marked + 2) {  // keep the number of layers that reads merge small
    // A document that is bridged here was not changed below, so its bridge may go before all that.
    Layer& below = *layers_[layers_.size() - 2];
    below.bridge.append(std::move(layers_.back()->bridge));
    below.changes.append(std::move(layers_.back()->changes));
    below.bridged.merge(layers_.back()->bridged);
    drop_layers(layers_.size() - 1);
  }
}

void Transaction::undo_statement() {
  if (!layers_.empty()) forget_layers(layers_.size() - 1);
}

// Of changes that are taken back.
void Transaction::forget_layers(size_t keep) {
  if (has_writes()) core_.stats->batch_dropped();
  drop_layers(keep);
}

std::vector<Transaction::Savepoint>::iterator Transaction::find_savepoint(const std::string& name) {
  return std::ranges::find(savepoints_, name, &Savepoint::name);
}

void Transaction::set_savepoint(const std::string& name) {
  const std::string key = folded(name);
  // The new one replaces the older of its name; the layers that it divided stay divided.
  if (const auto older = find_savepoint(key); older != savepoints_.end()) savepoints_.erase(older);
  savepoints_.push_back({key, layers_.size()});
}

Status Transaction::rollback_to(const std::string& name) {
  const auto found = find_savepoint(folded(name));
  if (found == savepoints_.end())
    return fail(ErrorCode::kUnknownSavepoint, "SAVEPOINT " + name + " does not exist");
  forget_layers(found->layers);
  savepoints_.erase(found + 1, savepoints_.end());
  return {};
}

Status Transaction::release(const std::string& name) {
  const auto found = find_savepoint(folded(name));
  if (found == savepoints_.end())
    return fail(ErrorCode::kUnknownSavepoint, "SAVEPOINT " + name + " does not exist");
  savepoints_.erase(found, savepoints_.end());
  return {};
}

Status Transaction::lock_name(std::string name, const LockRequest& request) {
  const auto held = locked_.find(name);
  if (held != locked_.end() &&
      (held->second == LockMode::kExclusive || request.mode == LockMode::kShared))
    return {};
  RETURN_IF_ERROR(core_.locks.lock(id_, name, request));
  locked_[std::move(name)] = request.mode;
  return {};
}

Status Transaction::lock(PartId part, std::string_view id_key, LockRequest request) {
  bool waited = false;
  request.waited = &waited;
  const Status locked = lock_name(document_name(part, id_key), request);
  if (waited) ++lock_waits_;
  return locked;
}

void Transaction::release_locks() {
  if (locked_.empty()) return;
  std::vector<std::string> names;
  names.reserve(locked_.size());
  for (const auto& [name, mode] : locked_) names.push_back(name);
  core_.locks.release(id_, names);
  locked_.clear();
}

Status Transaction::commit() {
  Status outcome;
  if (has_writes()) {
    WriteBatch all;
    for (auto& layer : layers_) all.append(std::move(layer->changes));
    drop_layers(0);
    std::shared_lock gate(core_.commit_gate);
    outcome = core_.engine->commit(std::move(all), core_.options.durability, purpose_);
    if (!outcome) core_.stats->batch_dropped();
  }
  rollback();
  return outcome;
}

void Transaction::rollback() {
  forget_layers(0);
  savepoints_.clear();
  snapshot_.reset();
  release_locks();
}

}  // namespace wherestar::server
