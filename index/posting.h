// Sets of documents as the index answers them.
//
// A DocIdSet is a set of 64-bit DocIds of one part, held by CRoaring in memory. It is what postings
// become once read; AND, OR and NOT are set algebra, without touching documents.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace wherestar::index {

enum class PartId : uint32_t {};
enum class DocId : uint64_t {};
enum class PathId : uint32_t {};

class DocIdSet {
 public:
  DocIdSet();
  ~DocIdSet();
  DocIdSet(const DocIdSet&);
  DocIdSet& operator=(const DocIdSet&);
  DocIdSet(DocIdSet&&) noexcept;
  DocIdSet& operator=(DocIdSet&&) noexcept;

  void add(DocId doc);
  void add_range(DocId begin, DocId end);         // [,)
  void add_many(std::span<const uint64_t> docs);  // in any order
  bool contains(DocId doc) const;
  uint64_t size() const;
  bool empty() const { return size() == 0; }
  void intersect_with(const DocIdSet& other);
  void unite_with(const DocIdSet& other);
  void subtract(const DocIdSet& other);
  std::vector<DocId> to_vector() const;  // ascending

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wherestar::index
