#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "server/arithmetic.h"
#include "server/conversion.h"
#include "server/functions.h"

namespace wherestar::server {

using document::Json;
using Kind = Expression::Kind;

namespace {

constexpr size_t kGroupConcatBytes = 1024;
constexpr size_t kMaxDistinct = 10'000'000;

constexpr std::string_view kAggregates[] = {
    "COUNT",   "SUM",          "AVG",           "MIN",
    "MAX",     "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG",
    "STD",     "STDDEV",       "STDDEV_POP",    "STDDEV_SAMP",
    "VAR_POP", "VAR_SAMP",     "VARIANCE",      "BIT_AND",
    "BIT_OR",  "BIT_XOR"};

// What an aggregate takes of a row: paths as text, but as they are where JSON is made.
Result<SqlValue> argument(const Expression& operand, bool as_json, const Row& row,
                          EvaluationContext& context) {
  ASSIGN_OR_RETURN(SqlValue value, evaluate(operand, row, context));
  const bool place = operand.kind == Kind::kPath || operand.kind == Kind::kColumn ||
                     operand.kind == Kind::kIdentifier;
  if (!as_json && place && is_json(value)) return SqlValue::text(unquoted(value.as_json()));
  return value;
}

class Aggregate : public Accumulator {
 public:
  explicit Aggregate(const Expression& expression, bool as_json = false)
      : expression_(expression), as_json_(as_json) {}

  Status add(const Row& row, EvaluationContext& context) final {
    values_.clear();
    for (const Expression& operand : expression_.operands) {
      if (operand.kind == Kind::kStar) continue;
      ASSIGN_OR_RETURN(SqlValue value, argument(operand, as_json_, row, context));
      values_.push_back(std::move(value));
    }
    if (expression_.distinct) {
      if (std::ranges::any_of(values_, [](const SqlValue& value) { return value.is_null(); }))
        return {};
      std::string key = group_key(values_);
      seen_bytes_ += key.size() + 64;
      if (!seen_.insert(std::move(key)).second) return {};
      if (seen_.size() > kMaxDistinct)
        return fail(ErrorCode::kLimitExceeded,
                    "more than 10,000,000 distinct values in " + expression_.name);
    }
    return take(values_, context);
  }
  size_t memory_bytes() const override { return sizeof *this + seen_bytes_; }

 protected:
  virtual Status take(const std::vector<SqlValue>& values, EvaluationContext& context) = 0;
  const Expression& expression_;

 private:
  bool as_json_;
  std::vector<SqlValue> values_;
  std::set<std::string> seen_;
  size_t seen_bytes_ = 0;
};

class Count : public Aggregate {
 public:
  using Aggregate::Aggregate;
  Result<SqlValue> result(EvaluationContext&) override { return SqlValue::signed_integer(count_); }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext&) override {
    if (std::ranges::none_of(values, [](const SqlValue& value) { return value.is_null(); }))
      ++count_;
    return {};
  }
  int64_t count_ = 0;
};

Result<SqlValue> real_result(long double value) {
  const auto rounded = static_cast<double>(value);
  if (!std::isfinite(rounded))
    return fail(ErrorCode::kNumberOutOfRange, "DOUBLE value is out of range");
  return SqlValue::real(rounded);
}

// SUM and AVG: exact for integers and decimals, else in doubles.
class Sum : public Aggregate {
 public:
  Sum(const Expression& expression, bool average) : Aggregate(expression), average_(average) {}

  Result<SqlValue> result(EvaluationContext&) override {
    if (count_ == 0) return SqlValue::null();
    if (is_real_) {
      const long double sum = real_ + static_cast<long double>(exact_.to_double());
      return real_result(average_ ? sum / static_cast<long double>(count_) : sum);
    }
    if (!average_) return SqlValue::decimal(exact_.to_text());
    const int scale = std::min(exact_.scale() + 4, Decimal::kMaxScale);
    return SqlValue::decimal(Decimal::divide(exact_, Decimal(count_, 0), scale).to_text());
  }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext& context) override {
    ASSIGN_OR_RETURN(const auto number, to_numeric(values.at(0), context));
    if (!number) return {};
    ++count_;
    if (const auto exact = to_decimal(*number)) {
      exact_ = exact_ + *exact;
      if (!exact_.fits())
        return fail(ErrorCode::kNumberOutOfRange, "DECIMAL value is out of range");
    } else {
      is_real_ = true;
      real_ += to_double(*number);
    }
    return {};
  }
  bool average_;
  bool is_real_ = false;
  int64_t count_ = 0;
  Decimal exact_;
  long double real_ = 0;  // of its exponents: a sum of doubles may leave theirs and come back
};

class Extreme : public Aggregate {
 public:
  Extreme(const Expression& expression, bool greatest)
      : Aggregate(expression), greatest_(greatest) {}
  Result<SqlValue> result(EvaluationContext&) override { return best_; }
  size_t memory_bytes() const override {
    return Aggregate::memory_bytes() +
           (is_json(best_) ? best_.json_as_text().size() : to_text(best_).size());
  }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext& context) override {
    const SqlValue& value = values.at(0);
    if (value.is_null()) return {};
    ASSIGN_OR_RETURN(const auto order, compare_values(value, best_, context));
    if (!order || (greatest_ ? *order > 0 : *order < 0)) best_ = value;
    return {};
  }
  bool greatest_;
  SqlValue best_;
};

class GroupConcat : public Aggregate {
 public:
  using Aggregate::Aggregate;
  Result<SqlValue> result(EvaluationContext& context) override {
    if (!any_) return SqlValue::null();
    if (cut_) RETURN_IF_ERROR(warn(context, 1260, "GROUP_CONCAT() was cut at 1024 bytes"));
    return SqlValue::text(text_);
  }
  size_t memory_bytes() const override { return Aggregate::memory_bytes() + text_.capacity(); }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext&) override {
    if (std::ranges::any_of(values, [](const SqlValue& value) { return value.is_null(); }))
      return {};
    if (any_) text_ += ',';
    any_ = true;
    if (text_.size() < kGroupConcatBytes)
      for (const SqlValue& value : values) text_ += to_text(value);
    if (text_.size() > kGroupConcatBytes) {
      cut_ = true;
      size_t at = kGroupConcatBytes;
      while (at > 0 && (static_cast<uint8_t>(text_[at]) & 0xc0) == 0x80) --at;
      text_.resize(at);
    }
    return {};
  }
  std::string text_;
  bool any_ = false;
  bool cut_ = false;
};

// JSON_ARRAYAGG and JSON_OBJECTAGG.
class Collect : public Aggregate {
 public:
  Collect(const Expression& expression, bool object)
      : Aggregate(expression, true), is_object_(object) {}
  Result<SqlValue> result(EvaluationContext&) override {
    if (!any_) return SqlValue::null();
    return SqlValue::json(is_object_ ? Json::object(members_) : Json::array(elements_));
  }
  size_t memory_bytes() const override { return Aggregate::memory_bytes() + bytes_; }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext&) override {
    any_ = true;
    ASSIGN_OR_RETURN(Json value, to_json(values.back()));
    if (value.depth() >= document::kMaxDepth)
      return fail(ErrorCode::kTooDeep,
                  "JSON of more than " + std::to_string(document::kMaxDepth) + " levels");
    bytes_ += 2 * value.to_text().size() + sizeof value;
    if (!is_object_) {
      RETURN_IF_ERROR(check_text_size(bytes_ / 2));
      elements_.push_back(std::move(value));
      return {};
    }
    const SqlValue& key = values.at(0);
    if (key.is_null())
      return fail(ErrorCode::kInvalidArgument, "JSON documents may not contain NULL member names.");
    std::string name = is_json(key) ? unquoted(key.as_json()) : to_text(key);
    bytes_ += 2 * name.size() + sizeof(Json::Member);
    RETURN_IF_ERROR(check_text_size(bytes_ / 2));
    const auto [found, is_new] = position_.try_emplace(name, members_.size());
    if (is_new)
      members_.emplace_back(std::move(name), std::move(value));
    else
      members_[found->second].second = std::move(value);
    return {};
  }
  bool is_object_;
  bool any_ = false;
  Json::Array elements_;
  Json::Object members_;
  std::unordered_map<std::string, size_t> position_;  // in members_
  size_t bytes_ = 0;
};

// Welford's method.
class Variance : public Aggregate {
 public:
  Variance(const Expression& expression, bool sample, bool root)
      : Aggregate(expression), sample_(sample), root_(root) {}
  Result<SqlValue> result(EvaluationContext&) override {
    const long double divisor = sample_ ? count_ - 1 : count_;
    if (divisor <= 0) return SqlValue::null();
    return real_result(root_ ? std::sqrt(squares_ / divisor) : squares_ / divisor);
  }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext& context) override {
    ASSIGN_OR_RETURN(const auto x, to_real(values.at(0), context));
    if (!x) return {};
    ++count_;
    const long double delta = *x - mean_;
    mean_ += delta / count_;
    squares_ += delta * (*x - mean_);
    return {};
  }
  bool sample_;
  bool root_;
  long double count_ = 0;
  long double mean_ = 0;
  long double squares_ = 0;
};

class Bits : public Aggregate {
 public:
  Bits(const Expression& expression, char op)
      : Aggregate(expression, true), op_(op), bits_(op == '&' ? UINT64_MAX : 0) {}
  Result<SqlValue> result(EvaluationContext&) override { return SqlValue::unsigned_integer(bits_); }

 private:
  Status take(const std::vector<SqlValue>& values, EvaluationContext& context) override {
    ASSIGN_OR_RETURN(const auto value, to_bits(values.at(0), context));
    if (!value) return {};
    bits_ = op_ == '&' ? bits_ & *value : op_ == '|' ? bits_ | *value : bits_ ^ *value;
    return {};
  }
  char op_;
  uint64_t bits_;
};

}  // namespace

bool is_aggregate(const Expression& expression) {
  if (expression.kind != Kind::kFunction) return false;
  return std::ranges::find(kAggregates, upper_case(expression.name)) != std::end(kAggregates);
}

Result<std::unique_ptr<Accumulator>> Accumulator::make(const Expression& aggregate) {
  const std::string name = upper_case(aggregate.name);
  const size_t count = aggregate.operands.size();
  const size_t wanted = name == "JSON_OBJECTAGG" ? 2 : 1;
  const bool any = name == "COUNT" || name == "GROUP_CONCAT";
  if (any ? (name == "GROUP_CONCAT" && count == 0) : count != wanted)
    return fail(
        ErrorCode::kWrongArgumentCount,
        "Incorrect parameter count in the call to native function '" + aggregate.name + "'");
  std::unique_ptr<Accumulator> out;
  if (name == "COUNT") out = std::make_unique<Count>(aggregate);
  if (name == "SUM" || name == "AVG") out = std::make_unique<Sum>(aggregate, name == "AVG");
  if (name == "MIN" || name == "MAX") out = std::make_unique<Extreme>(aggregate, name == "MAX");
  if (name == "GROUP_CONCAT") out = std::make_unique<GroupConcat>(aggregate);
  if (name.starts_with("JSON_"))
    out = std::make_unique<Collect>(aggregate, name == "JSON_OBJECTAGG");
  if (name.starts_with("STD") || name.starts_with("VAR"))
    out = std::make_unique<Variance>(aggregate, name.ends_with("_SAMP"), name.starts_with("STD"));
  if (name.starts_with("BIT_"))
    out = std::make_unique<Bits>(aggregate, name == "BIT_AND" ? '&' : name == "BIT_OR" ? '|' : '^');
  if (!out)
    return fail(ErrorCode::kUnknownFunction, "FUNCTION " + aggregate.name + " does not exist");
  return out;
}

}  // namespace wherestar::server
