// Random batches on an Engine, and a model that keeps every state the store has ever been in.
//
// The model is plain: whole maps, copied at each commit, with operations on decoded values. Keys of
// one leading letter have one meaning, so that merges meet values of their kind: 'c' counters, 'p'
// postings, 'r' registers, anything else is put and erased alone.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/memory_file_system.h"
#include "fractal_tree/engine.h"

namespace wherestar::fractal_tree {

inline constexpr const char* kEnginePath = "/db";

using DictionaryState = std::map<std::string, std::string>;
using EngineState = std::map<std::string, DictionaryState>;  // by dictionary name

// Nodes so small that a few hundred keys make five levels.
DictionaryOptions tiny_dictionary();
EngineOptions tiny_engine(FileSystem& fs);

std::string describe_difference(const EngineState& expected, const EngineState& found);
// Everything, read through cursors: forwards, and checked backwards and by get.
Result<EngineState> read_state(Engine& engine, const ReadView& view = {});

class EngineWorkload {
 public:
  explicit EngineWorkload(uint64_t seed);

  // Opens the engine and its dictionaries; an error is returned and nothing is open.
  Status open(const EngineOptions& options);
  void close() { engine_.reset(); }
  Engine& engine() { return *engine_; }
  bool is_open() const { return engine_ != nullptr; }

  // One random commit. States: begun is one more before the commit, acknowledged after it.
  Status commit_random(Durability durability = Durability::kSync);
  // A random batch and what `state` becomes by it.
  WriteBatch random_batch(EngineState& state, size_t changes);

  // states()[i]: after i commits. The newest acknowledged one is states()[acknowledged()], the
  // newest that may have reached the disk is the last.
  const std::vector<EngineState>& states() const { return states_; }
  size_t acknowledged() const { return acknowledged_; }
  // An unacknowledged commit failed for sure: as if it had never been.
  void forget_unacknowledged() { states_.resize(acknowledged_ + 1); }
  // Continue from this state (after a crash).
  void restart_from(EngineState state);
  // Index of a state from `least` on that equals `found`; -1: none.
  int find_state(const EngineState& found, size_t least) const;

  std::mt19937_64& random() { return random_; }
  DictionaryId id(const std::string& name) const { return ids_.at(name); }

 private:
  size_t below(size_t bound) { return random_() % bound; }
  std::string random_key(char letter);
  void random_change(WriteBatch& batch, const std::string& name, DictionaryState& state);
  void random_merge(WriteBatch& batch, DictionaryId id, DictionaryState& state, char letter);

  std::mt19937_64 random_;
  std::unique_ptr<Engine> engine_;
  std::map<std::string, DictionaryId> ids_;
  std::vector<EngineState> states_{1};
  size_t acknowledged_ = 0;
};

}  // namespace wherestar::fractal_tree
