#include "tools/file_summary.h"

#include <algorithm>

#include "document/path.h"

namespace wherestar::tools {
namespace {

constexpr uint32_t kPart = 1;
constexpr size_t kShownTopValues = 20;

bool is_scalar(document::JsonType type) {
  return type != document::JsonType::kObject && type != document::JsonType::kArray;
}

// A format that every string of the path has.
std::string common_format(const schema_stats::PathStatistics& statistics) {
  const uint64_t strings = statistics.by_type[static_cast<size_t>(document::JsonType::kString)];
  for (size_t i = 0; i < schema_stats::kFormatCount; ++i) {
    if (strings > 0 && statistics.by_format[i] == strings) {
      return std::string(schema_stats::format_name(static_cast<schema_stats::Format>(i)));
    }
  }
  return {};
}

}  // namespace

FileSummary::FileSummary(std::string name, size_t max_paths)
    : name_(std::move(name)),
      max_paths_(max_paths),
      stats_(schema_stats::SchemaStats::over_batches()) {
  paths_.push_back({});
  paths_.back().text = "$";
}

uint32_t FileSummary::add_path(uint32_t parent, bool is_element, std::string text) {
  const auto number = static_cast<uint32_t>(paths_.size());
  paths_.push_back({});
  paths_.back().parent = parent;
  paths_.back().is_element = is_element;
  paths_.back().text = std::move(text);
  return number;
}

uint32_t FileSummary::number_of(uint32_t parent, const document::Shredded::Path& path) {
  if (path.is_element) {
    if (paths_[parent].element == 0) {
      const uint32_t number = add_path(parent, true, paths_[parent].text + "[*]");
      paths_[parent].element = number;
    }
    return paths_[parent].element;
  }
  const auto known = paths_[parent].members.find(path.name);
  if (known != paths_[parent].members.end()) return known->second;
  if (paths_.size() >= max_paths_) {
    if (paths_[parent].folded == 0) {
      const uint32_t number = add_path(parent, false, paths_[parent].text + ".*");
      paths_[parent].folded = number;
    }
    return paths_[parent].folded;
  }
  std::string text = paths_[parent].text;
  document::append_member(text, path.name);
  const uint32_t number = add_path(parent, false, std::move(text));
  paths_[parent].members.emplace(path.name, number);
  return number;
}

void FileSummary::add(const document::Shredded& shredded, uint64_t text_bytes, size_t line) {
  numbers_.assign(shredded.paths.size(), 0);
  for (size_t i = 1; i < shredded.paths.size(); ++i) {
    numbers_[i] = number_of(numbers_[shredded.paths[i].parent], shredded.paths[i]);
  }
  // The line stands for the time of first and last seen: a file has no other clock.
  stats_->observe(batch_, kPart, shredded, numbers_, static_cast<int64_t>(line));
  for (const document::Shredded::Occurrence& occurrence : shredded.occurrences) {
    if (is_scalar(occurrence.type)) {
      paths_[numbers_[occurrence.path]].values.add(occurrence.scalar, {});
    }
  }
  ++documents_;
  text_bytes_ += text_bytes;
}

Status FileSummary::collect_paths(Summary& summary) {
  const fractal_tree::WriteBatch* const batches[] = {&batch_};
  const fractal_tree::ReadView view{nullptr, batches};
  ASSIGN_OR_RETURN(std::vector<schema_stats::PathStatistics> all, stats_->paths(kPart, view));
  std::ranges::sort(all, {}, &schema_stats::PathStatistics::path);
  std::vector<uint64_t> documents(paths_.size()), objects(paths_.size());
  for (const auto& one : all) {
    if (one.path >= paths_.size()) return fail(ErrorCode::kInternal, "statistics of no path");
    documents[one.path] = one.documents;
    objects[one.path] = one.by_type[static_cast<size_t>(document::JsonType::kObject)];
  }
  for (const auto& one : all) {
    const Path& path = paths_[one.path];
    PathRow row;
    row.path = path.text;
    row.documents = one.documents;
    row.values = one.values;
    row.by_type = one.by_type;
    row.distinct = one.distinct_values;
    row.distinct_is_exact = one.distinct_is_exact;
    row.least = path.values.least_json();
    row.greatest = path.values.greatest_json();
    row.total_bytes = one.total_bytes;
    row.format = common_format(one);
    if (one.string_length) {
      row.min_string_length = one.string_length->least;
      row.max_string_length = one.string_length->greatest;
    }
    if (one.array_length) {
      row.min_array_length = one.array_length->least;
      row.max_array_length = one.array_length->greatest;
    }
    if (auto top = path.values.top()) {
      row.distinct = static_cast<double>(top->size());
      row.distinct_is_exact = true;
      row.top_values_are_all = top->size() <= kShownTopValues;
      if (!row.top_values_are_all) top->resize(kShownTopValues);
      row.top_values = *std::move(top);
    }
    path_summaries_.push_back({row.path, one, documents[path.parent], objects[path.parent],
                               row.least, row.greatest, row.top_values});
    summary.paths.push_back(std::move(row));
  }
  return {};
}

Status FileSummary::collect_shapes(Summary& summary) {
  const fractal_tree::WriteBatch* const batches[] = {&batch_};
  ASSIGN_OR_RETURN(const auto shapes, stats_->shapes(kPart, {nullptr, batches}));
  for (const schema_stats::ShapeStatistics& shape : shapes) {
    ShapeRow row;
    row.id = shape.shape == 0 ? "others" : std::string();
    row.documents = shape.documents;
    for (const auto& [path, type] : shape.members) {
      if (path >= paths_.size()) return fail(ErrorCode::kInternal, "a shape of no path");
      row.members.emplace_back(paths_[path].text, document::json_type_name(type));
    }
    std::ranges::sort(row.members);
    row.first_seen = "line " + std::to_string(shape.first_seen_unix_s);
    row.last_seen = "line " + std::to_string(shape.last_seen_unix_s);
    summary.shapes.push_back(std::move(row));
  }
  std::ranges::sort(summary.shapes, [](const ShapeRow& a, const ShapeRow& b) {
    return a.documents != b.documents ? a.documents > b.documents : a.members < b.members;
  });
  for (size_t i = 0; i < summary.shapes.size(); ++i) {
    if (summary.shapes[i].id.empty()) summary.shapes[i].id = std::to_string(i + 1);
  }
  return {};
}

Result<Summary> FileSummary::finish() {
  Summary summary;
  summary.name = name_;
  summary.documents = documents_;
  summary.text_bytes = text_bytes_;
  if (documents_ == 0) return summary;
  path_summaries_.clear();
  RETURN_IF_ERROR(collect_paths(summary));
  RETURN_IF_ERROR(collect_shapes(summary));
  return summary;
}

}  // namespace wherestar::tools
