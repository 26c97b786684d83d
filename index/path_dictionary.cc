#include "index/path_dictionary.h"

#include <algorithm>

#include "base/coding.h"
#include "document/path.h"
#include "index/folding.h"
#include "index/keys.h"

namespace wherestar::index {
namespace {

std::string path_record(PathId parent, LegType leg, std::string_view name,
                        int64_t first_seen_unix_s) {
  std::string record;
  put_fixed(record, static_cast<uint32_t>(parent));
  record.push_back(static_cast<char>(leg));
  put_fixed(record, first_seen_unix_s);
  record.append(name);
  return record;
}

uint64_t leg_text_bytes(LegType leg, std::string_view name) {
  switch (leg) {
    case LegType::kRoot:
      return 1;
    case LegType::kElement:
      return 3;
    case LegType::kAny:
      return 2;
    case LegType::kMember:
      break;
  }
  return name.size() + 3;  // near enough for a budget: escapes may make it longer
}

}  // namespace

// --- loading -------------------------------------------------------------------------------------

Status PathDictionary::load(fractal_tree::Engine& engine, fractal_tree::DictionaryId dictionary) {
  const std::string begin = part_key(part_);
  const std::string end = prefix_end(begin);
  const auto cursor = engine.cursor(dictionary, {});
  for (cursor->seek(begin); cursor->valid() && cursor->key() < end; cursor->next()) {
    const std::string_view key = cursor->key();
    const char record = key.size() == 9 ? key[4] : '\0';
    if (record == static_cast<char>(kPathRecord)) {
      RETURN_IF_ERROR(load_path(key, cursor->value()));
    } else if (record == static_cast<char>(kRuleRecord)) {
      RETURN_IF_ERROR(load_rule(cursor->value()));
    } else {
      return fail(ErrorCode::kCorruption,
                  "paths: unknown record in part " + std::to_string(static_cast<uint32_t>(part_)));
    }
  }
  return cursor->status();
}

Status PathDictionary::load_path(std::string_view key, std::string_view value) {
  Reader key_reader(key.substr(5));
  Reader reader(value);
  const auto id = key_reader.big_endian<uint32_t>();
  const auto parent = reader.fixed<uint32_t>();
  const auto leg = reader.fixed<uint8_t>();
  const auto first_seen_unix_s = reader.fixed<int64_t>();
  const bool is_root = id == 0 && parent == 0 && leg == 0;
  const bool is_child = parent < id && leg >= 1 && leg <= 3;
  if (!reader.ok() || id != nodes_.size() || !(is_root || is_child))
    return fail(ErrorCode::kCorruption, "paths: damaged record of path " + std::to_string(id) +
                                            " in part " +
                                            std::to_string(static_cast<uint32_t>(part_)));
  insert_node(PathId{parent}, static_cast<LegType>(leg), reader.rest(), first_seen_unix_s);
  return {};
}

Status PathDictionary::load_rule(std::string_view value) {
  Reader reader(value);
  const auto kind = reader.fixed<uint8_t>();
  const auto object = reader.fixed<uint32_t>();
  if (!reader.ok() || kind < 1 || kind > 4 || object >= nodes_.size())
    return fail(ErrorCode::kCorruption, "paths: damaged folding rule in part " +
                                            std::to_string(static_cast<uint32_t>(part_)));
  apply_rule(static_cast<RuleKind>(kind), PathId{object}, reader.rest());
  return {};
}

void PathDictionary::insert_node(PathId parent, LegType leg, std::string_view name,
                                 int64_t first_seen_unix_s) {
  const PathId id{static_cast<uint32_t>(nodes_.size())};
  Node made;
  made.parent = parent;
  made.leg = leg;
  made.name = name;
  made.first_seen_unix_s = first_seen_unix_s;
  made.next_look = kFoldThreshold;
  if (leg != LegType::kRoot) {
    Node& above = node(parent);
    made.folded = above.folded || leg == LegType::kAny;
    made.text_bytes = above.text_bytes + leg_text_bytes(leg, name);
    if (leg == LegType::kElement) above.element = id;
    if (leg == LegType::kAny) above.any = id;
    if (leg == LegType::kMember) {
      above.members.push_back(id);
      while (above.next_look < above.members.size()) above.next_look *= 2;
      children_.emplace(ChildKey{parent, std::string(name)}, id);
    }
  }
  text_bytes_ += made.text_bytes;
  nodes_.push_back(std::move(made));
}

void PathDictionary::apply_rule(RuleKind kind, PathId object, std::string_view signature) {
  ++rule_count_;
  switch (kind) {
    case RuleKind::kSignature:
      node(object).signatures.emplace_back(signature);
      break;
    case RuleKind::kObject:
      node(object).all_fold = true;
      break;
    case RuleKind::kPart:
      part_folds_ = true;
      break;
    case RuleKind::kOverflow:
      overflows_ = true;
      break;
  }
}

// --- resolving -----------------------------------------------------------------------------------

bool PathDictionary::folds(const Node& object, std::string_view name) const {
  if (part_folds_ || object.all_fold) return true;
  if (object.signatures.empty()) return false;
  const std::string signature = name_signature(name);
  return std::find(object.signatures.begin(), object.signatures.end(), signature) !=
         object.signatures.end();
}

std::optional<PathId> PathDictionary::find(PathId parent,
                                           const document::Shredded::Path& path) const {
  const Node& above = node(parent);
  std::optional<PathId> found;
  if (path.is_element) {
    found = above.element;
  } else if (const auto child = children_.find(ChildView{parent, path.name});
             child != children_.end()) {
    found = child->second;
  } else if (folds(above, path.name)) {
    found = above.any;
  }
  if (!found && overflows_) return node(kRootPath).any;
  return found;
}

bool PathDictionary::resolve_known(const document::Shredded& shredded, PathIds& ids) const {
  if (nodes_.empty()) return false;
  ids.assign(shredded.paths.size(), kRootPath);
  for (size_t i = 1; i < shredded.paths.size(); ++i) {
    const document::Shredded::Path& path = shredded.paths[i];
    const std::optional<PathId> found = find(ids[path.parent], path);
    if (!found) return false;
    ids[i] = *found;
  }
  return true;
}

PathIds PathDictionary::resolve_new(const document::Shredded& shredded, int64_t now_unix_s,
                                    fractal_tree::WriteBatch& batch,
                                    fractal_tree::DictionaryId dictionary) {
  Sink sink{batch, dictionary, now_unix_s};
  if (nodes_.empty()) make(kRootPath, LegType::kRoot, {}, sink);
  PathIds ids(shredded.paths.size(), kRootPath);
  for (size_t i = 1; i < shredded.paths.size(); ++i) {
    const document::Shredded::Path& path = shredded.paths[i];
    ids[i] = find_or_make(ids[path.parent], path, sink);
  }
  return ids;
}

PathId PathDictionary::find_or_make(PathId parent, const document::Shredded::Path& path,
                                    Sink& sink) {
  if (const std::optional<PathId> found = find(parent, path)) return *found;
  if (path.is_element) return make(parent, LegType::kElement, {}, sink);
  if (folds(node(parent), path.name)) return make(parent, LegType::kAny, {}, sink);
  const PathId made = make(parent, LegType::kMember, path.name, sink);
  look_for_map(parent, sink);
  return made;
}

PathId PathDictionary::make(PathId parent, LegType leg, std::string_view name, Sink& sink) {
  const PathId id{static_cast<uint32_t>(nodes_.size())};
  insert_node(parent, leg, name, sink.now_unix_s);
  sink.batch.put(sink.dictionary, path_record_key(part_, id),
                 path_record(parent, leg, name, sink.now_unix_s));
  check_budgets(sink);
  return id;
}

void PathDictionary::look_for_map(PathId object, Sink& sink) {
  Node& parent = node(object);
  if (parent.all_fold || parent.members.size() < parent.next_look) return;
  parent.next_look *= 2;
  if (parent.members.size() >= kFoldAlwaysThreshold) {
    make_rule(RuleKind::kObject, object, {}, sink);
    return;
  }
  std::vector<std::string_view>
      names;  // that no rule takes yet; aliases made before one do not count
  for (const PathId member : parent.members)
    if (!folds(parent, node(member).name)) names.push_back(node(member).name);
  if (names.size() < kFoldThreshold) return;
  if (const std::optional<std::string> signature = common_signature(names))
    make_rule(RuleKind::kSignature, object, *signature, sink);
}

void PathDictionary::check_budgets(Sink& sink) {
  const auto exceeds = [&](uint64_t factor) {
    return nodes_.size() >= factor * budget_.paths || text_bytes_ >= factor * budget_.text_bytes;
  };
  if (!part_folds_ && exceeds(1)) make_rule(RuleKind::kPart, kRootPath, {}, sink);
  if (overflows_ || !exceeds(2)) return;
  make_rule(RuleKind::kOverflow, kRootPath, {}, sink);
  if (!node(kRootPath).any) make(kRootPath, LegType::kAny, {}, sink);
}

void PathDictionary::make_rule(RuleKind kind, PathId object, std::string_view signature,
                               Sink& sink) {
  std::string record;
  record.push_back(static_cast<char>(kind));
  put_fixed(record, static_cast<uint32_t>(object));
  record.append(signature);
  sink.batch.put(sink.dictionary, rule_record_key(part_, rule_count_), record);
  apply_rule(kind, object, signature);
}

// --- asking --------------------------------------------------------------------------------------

void PathDictionary::append_text(std::string& out, PathId path) const {
  std::vector<PathId> legs;
  for (; path != kRootPath; path = node(path).parent) legs.push_back(path);
  out += '$';
  for (auto leg = legs.rbegin(); leg != legs.rend(); ++leg) {
    const Node& step = node(*leg);
    if (step.leg == LegType::kElement)
      out += "[*]";
    else if (step.leg == LegType::kAny)
      out += ".*";
    else
      document::append_member(out, step.name);
  }
}

PathInfo PathDictionary::info(PathId path) const {
  const Node& found = node(path);
  PathInfo info;
  info.id = path;
  info.parent = found.parent;
  info.is_element = found.leg == LegType::kElement;
  info.is_any = found.leg == LegType::kAny;
  info.is_folded = found.folded;
  info.name = found.name;
  info.first_seen_unix_s = found.first_seen_unix_s;
  append_text(info.text, path);
  return info;
}

std::vector<PathInfo> PathDictionary::all() const {
  std::vector<PathInfo> infos;
  infos.reserve(nodes_.size());
  for (uint32_t id = 0; id < nodes_.size(); ++id) infos.push_back(info(PathId{id}));
  return infos;
}

namespace {

// Whether [n], [m to n] may stand for the value itself when that is no array.
bool wraps(const document::PathLeg& leg) {
  if (leg.kind == document::LegKind::kElement) return leg.first.offset == 0;
  return leg.kind == document::LegKind::kElementRange;
}

}  // namespace

void PathDictionary::match_leg(const document::PathLeg& leg, const std::vector<PathId>& from,
                               std::vector<PathId>& to) const {
  using document::LegKind;
  for (const PathId path : from) {
    const Node& at = node(path);
    switch (leg.kind) {
      case LegKind::kMember:
        if (const auto child = children_.find(ChildView{path, leg.name}); child != children_.end())
          to.push_back(child->second);
        if (at.any) to.push_back(*at.any);
        break;
      case LegKind::kAnyMember:
        to.insert(to.end(), at.members.begin(), at.members.end());
        if (at.any) to.push_back(*at.any);
        break;
      case LegKind::kElement:
      case LegKind::kElementRange:
      case LegKind::kAnyElement:
        if (at.element) to.push_back(*at.element);
        if (wraps(leg)) to.push_back(path);
        break;
      case LegKind::kDescendants:
        to.push_back(path);
        break;
    }
  }
}

std::vector<PathId> PathDictionary::matching(const document::PathExpression& expression) const {
  if (nodes_.empty()) return {};
  std::vector<PathId> at{kRootPath};
  const auto sort_distinct = [](std::vector<PathId>& paths) {
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  };
  for (const document::PathLeg& leg : expression.legs()) {
    std::vector<PathId> next;
    match_leg(leg, at, next);
    // find() goes on at the overflow path from wherever a step is unknown.
    if (overflows_ && node(kRootPath).any) next.push_back(*node(kRootPath).any);
    if (leg.kind == document::LegKind::kDescendants) {
      // Parents have lower ids, so one pass over the ids finds all that lies below.
      std::vector<bool> below(nodes_.size(), false);
      for (const PathId path : next) below[static_cast<uint32_t>(path)] = true;
      for (uint32_t id = 1; id < nodes_.size(); ++id)
        if (below[static_cast<uint32_t>(nodes_[id].parent)]) below[id] = true;
      next.clear();
      for (uint32_t id = 0; id < nodes_.size(); ++id)
        if (below[id]) next.push_back(PathId{id});
    }
    sort_distinct(next);
    at = std::move(next);
  }
  return at;
}

}  // namespace wherestar::index
