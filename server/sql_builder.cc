#include "server/sql_builder.h"

#include <algorithm>
#include <charconv>

#include "server/arithmetic.h"
#include "server/functions.h"
#include "sql_grammar.h"

namespace wherestar::server {

using document::LegKind;
using document::PathLeg;
using Kind = Expression::Kind;

namespace {

constexpr std::string_view kAnyPathAlone =
    "`*` as any path stands beside a comparison, IN, BETWEEN, LIKE, REGEXP or IS only";

bool same_word(std::string_view a, std::string_view b) {
  return upper_case(a) == upper_case(b);
}

bool is_member(const SqlNode& node, std::string_view name) {
  const auto& legs = node.expression.path.legs();
  return legs.size() == 1 && legs[0].kind == LegKind::kMember && same_word(legs[0].name, name);
}

// Changed, added, left out or swapped characters; short words only.
size_t distance(std::string_view a, std::string_view b) {
  constexpr size_t kMost = 16;
  if (a.size() > kMost || b.size() > kMost) return kMost;
  size_t rows[3][kMost + 1] = {};
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

template <class Words>
std::string nearest_word(std::string_view text, const Words& words) {
  const std::string upper = upper_case(text);
  std::string out;
  constexpr size_t kLeast = 3;
  if (upper.size() < kLeast) return out;
  size_t least = text.size() < 5 ? 2 : 3;  // short words are near to everything
  for (const auto& word : words) {
    const size_t far = distance(upper, word);
    if (word.size() < kLeast || far == 0 || far >= least) continue;
    least = far;
    out = word;
  }
  return out;
}

// `* = v`, `v = *`, `* IN (v)`, `v IN *`: where the any path may stand.
bool takes_any_path(const Expression& parent, size_t position) {
  switch (parent.op) {
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
    case Operator::kContainedIn:
    case Operator::kNotContainedIn:
      return position == 0 || parent.operands[0].kind != Kind::kAnyPath;
    case Operator::kIs:
    case Operator::kIsNot:
    case Operator::kLike:
    case Operator::kNotLike:
    case Operator::kRegexp:
    case Operator::kNotRegexp:
    case Operator::kBetween:
    case Operator::kNotBetween:
    case Operator::kIn:
    case Operator::kNotIn:
      return position == 0;
    default:
      return false;
  }
}

}  // namespace

const SqlToken& SqlBuilder::take() {
  if (error_ || next_ + 1 >= tokens_.size()) return tokens_.back();
  count_nesting(tokens_[next_]);
  if (error_) return tokens_.back();
  return tokens_[next_++];
}

// The parser's stack grows with these alone.
void SqlBuilder::count_nesting(const SqlToken& token) {
  using Token = SqlGrammar::token;
  switch (token.kind) {
    case Token::T_NOT:
    case Token::T_BANG:
    case Token::T_PLUS:
    case Token::T_MINUS:
    case Token::T_TILDE:
      ++prefixes_;
      break;
    case Token::T_OPEN:
    case Token::T_OPEN_BRACKET:
    case Token::T_OPEN_BRACE:
    case Token::T_CASE:
      ++nesting_;
      prefixes_ = 0;
      break;
    case Token::T_CLOSE:
    case Token::T_CLOSE_BRACKET:
    case Token::T_CLOSE_BRACE:
    case Token::T_END:
      if (nesting_ > 0) --nesting_;
      prefixes_ = 0;
      break;
    default:
      prefixes_ = 0;
  }
  if (nesting_ > kMaxExpressionDepth || prefixes_ > kMaxExpressionDepth)
    fail(token.span,
         "an expression of more than " + std::to_string(kMaxExpressionDepth) + " levels",
         ErrorCode::kLimitExceeded);
}

void SqlBuilder::fail_unexpected(Span span, const SqlExpected& expected) {
  static constexpr std::string_view kClauses[] = {"FROM",  "WHERE",  "GROUP",  "ORDER",
                                                  "LIMIT", "HAVING", "OFFSET", "VALUES"};
  if (error_) return;
  std::vector<std::string> words = expected.words;
  words.insert(words.end(), expected.choices.begin(), expected.choices.end());
  const std::string_view offending = text_.substr(span.begin, span.end - span.begin);
  if (const std::string word = nearest_word(offending, words); !word.empty())
    return fail(span, "expected " + word);
  // SELECT * form c: `form` was taken for an alias, and the error comes a word late.
  const size_t before = span.begin < text_.size() ? 2 : 1;  // the end is taken without a step
  if (next_ >= before) {
    const SqlToken& previous = tokens_[next_ - before];
    const std::string word = nearest_word(previous.text, kClauses);
    if (previous.kind == SqlGrammar::token::T_NAME && !word.empty())
      return fail(previous.span, "expected " + word);
  }
  constexpr size_t kMost = 4;
  const auto& choices = expected.choices;
  std::string message;
  if (choices.empty() || choices.size() > kMost) {
    message = "unexpected";
  } else {
    for (size_t i = 0; i < choices.size(); ++i)
      message += (i == 0 ? "expected " : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  fail(span, message);
}

void SqlBuilder::fail(Span span, std::string_view what, ErrorCode code) {
  if (!error_) error_ = Error{code, sql_place(text_, span) + ": " + std::string(what)};
}

std::string SqlBuilder::slice(Span span) const {
  return std::string(text_.substr(span.begin, span.end - span.begin));
}

SqlNode SqlBuilder::literal(SqlValue value) {
  SqlNode node;
  node.expression.literal = std::move(value);
  return node;
}

SqlNode SqlBuilder::number(const std::string& text, Span span) {
  if (text.find_first_of("eE") != std::string::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) fail(span, "a number out of range", ErrorCode::kNumberOutOfRange);
    return literal(SqlValue::real(value));
  }
  if (text.find('.') == std::string::npos) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc())
      return literal(value <= INT64_MAX ? SqlValue::signed_integer(static_cast<int64_t>(value))
                                        : SqlValue::unsigned_integer(value));
  }
  if (text.size() > 66) fail(span, "a number of more than 65 digits", ErrorCode::kNumberOutOfRange);
  return literal(SqlValue::decimal(text.starts_with('.') ? "0" + text : text));
}

SqlNode SqlBuilder::placeholder() {
  SqlNode node;
  node.expression.kind = Kind::kPlaceholder;
  node.expression.slot = static_cast<uint32_t>(placeholders++);
  return node;
}

SqlNode SqlBuilder::any_path(Span span) {
  SqlNode node;
  node.expression.kind = Kind::kAnyPath;
  node.span = span;
  return node;
}

SqlNode SqlBuilder::variable(const std::string& name) {
  SqlNode node;
  node.expression.kind = Kind::kVariable;
  // Of @@session.x the scope does not matter to a reader.
  const size_t dot = name.rfind('.');
  node.expression.name = dot == std::string::npos ? name : name.substr(dot + 1);
  return node;
}

SqlNode SqlBuilder::operation(Operator op, Span span) const {
  SqlNode node;
  node.expression.kind = Kind::kOperator;
  node.expression.op = op;
  node.span = span;
  return node;
}

void SqlBuilder::adopt(SqlNode& parent, SqlNode child) {
  parent.depth = std::max(parent.depth, child.depth + 1);
  parent.count += child.count;
  if (child.expression.kind == Kind::kAnyPath &&
      !takes_any_path(parent.expression, parent.expression.operands.size()))
    fail(child.span, kAnyPathAlone);
  parent.expression.operands.push_back(std::move(child.expression));
}

void SqlBuilder::adopt(SqlNode& parent, SqlNodes children) {
  for (SqlNode& child : children) adopt(parent, std::move(child));
}

SqlNode SqlBuilder::checked(SqlNode node) {
  if (node.depth > kMaxExpressionDepth)
    fail(node.span, "an expression of more than " + std::to_string(kMaxExpressionDepth) + " levels",
         ErrorCode::kLimitExceeded);
  if (node.count > kMaxExpressionNodes) fail_too_many_nodes(node.span);
  if (error_) return {};
  return node;
}

void SqlBuilder::fail_too_many_nodes(Span span) {
  fail(span, "an expression of more than " + std::to_string(kMaxExpressionNodes) + " parts",
       ErrorCode::kLimitExceeded);
}

SqlNode SqlBuilder::connect(Operator op, SqlNode left, SqlNode right, Span span) {
  if (left.expression.kind != Kind::kOperator || left.expression.op != op)
    return combine(op, span, std::move(left), std::move(right));
  left.span = span;
  adopt(left, std::move(right));
  return checked(std::move(left));
}

SqlNode SqlBuilder::not_of(SqlNode operand, Span span) {
  return combine(Operator::kNot, span, std::move(operand));
}

SqlNode SqlBuilder::negate(SqlNode operand, Span span) {
  if (operand.expression.kind == Kind::kLiteral) {
    SqlValue& value = operand.expression.literal;
    EvaluationContext context;
    if (value.type() == SqlType::kUnsigned && value.as_unsigned() == uint64_t{1} << 63) {
      value = SqlValue::signed_integer(INT64_MIN);
      return operand;
    }
    if (value.type() == SqlType::kUnsigned && value.as_unsigned() > uint64_t{1} << 63) {
      value = SqlValue::decimal("-" + std::to_string(value.as_unsigned()));
      return operand;
    }
    const bool number = value.type() >= SqlType::kSigned && value.type() <= SqlType::kDecimal;
    if (number && value.type() != SqlType::kUnsigned && !value.is_boolean()) {
      if (auto negative = server::negate(value, context)) {
        value = *std::move(negative);
        return operand;
      }
    }
  }
  return combine(Operator::kNegate, span, std::move(operand));
}

// a <=> b: equal, or both NULL. Both are needed twice, so nested ones soon reach the limit of
// nodes.
SqlNode SqlBuilder::null_safe_equal(SqlNode left, SqlNode right, Span span) {
  for (const SqlNode* side : {&left, &right})
    if (side->expression.kind == Kind::kAnyPath) fail(side->span, "the any path takes no <=>");
  if (2 * (left.count + right.count) > kMaxExpressionNodes) fail_too_many_nodes(span);
  if (error_) return {};
  SqlNode equal =
      is(combine(Operator::kEqual, span, left, right), false, SqlValue::boolean(true), span);
  SqlNode both = combine(Operator::kAnd, span, is(std::move(left), false, SqlValue::null(), span),
                         is(std::move(right), false, SqlValue::null(), span));
  return combine(Operator::kOr, span, std::move(equal), std::move(both));
}

SqlNode SqlBuilder::is(SqlNode operand, bool negated, SqlValue value, Span span) {
  return combine(negated ? Operator::kIsNot : Operator::kIs, span, std::move(operand),
                 literal(std::move(value)));
}

SqlNode SqlBuilder::call(SqlNode name, SqlNodes arguments, bool distinct, Span span) {
  const auto& legs = name.expression.path.legs();
  const bool names =
      !legs.empty() && legs.size() <= 2 &&
      std::ranges::all_of(legs, [](const PathLeg& leg) { return leg.kind == LegKind::kMember; });
  if (name.expression.kind != Kind::kIdentifier || !names) {
    fail(span, "no name of a function");
    return {};
  }
  const std::string upper = upper_case(legs.back().name);
  if (arguments.size() == 1 && arguments[0].expression.kind == Kind::kAnyPath && upper == "COUNT")
    arguments[0].expression.kind = Kind::kStar;
  const auto is_interval = [](const SqlNode& node) {
    return node.expression.kind == Kind::kOperator && node.expression.op == Operator::kDateAdd &&
           node.expression.operands.size() == 1;
  };
  const bool adds = upper == "DATE_ADD" || upper == "ADDDATE";
  const bool subtracts = upper == "DATE_SUB" || upper == "SUBDATE";
  if ((adds || subtracts) && arguments.size() == 2 && is_interval(arguments[1]))
    return date_arithmetic(std::move(arguments[0]), std::move(arguments[1]), subtracts, span);
  for (const SqlNode& argument : arguments)
    if (is_interval(argument)) fail(argument.span, "an INTERVAL that nothing is added to");
  SqlNode node = combine(Operator::kAnd, span, std::move(arguments));
  node.expression.kind = Kind::kFunction;
  node.expression.name = legs.back().name;
  if (legs.size() == 2) node.expression.qualifier = legs[0].name;
  node.expression.distinct = distinct;
  return node;
}

SqlNode SqlBuilder::date_arithmetic(SqlNode value, SqlNode interval, bool subtract, Span span) {
  if (interval.expression.operands.size() != 1) return {};  // after an error
  SqlNode amount;
  amount.depth = interval.depth;
  amount.count = interval.count;
  amount.expression = std::move(interval.expression.operands[0]);
  SqlNode node = combine(subtract ? Operator::kDateSub : Operator::kDateAdd, span, std::move(value),
                         std::move(amount));
  node.expression.name = std::move(interval.expression.name);
  return node;
}

SqlNode SqlBuilder::cast(SqlNode value, std::string type, Span span) {
  SqlNode node = combine(Operator::kCast, span, std::move(value));
  node.expression.name = upper_case(type);
  return node;
}

SqlNode SqlBuilder::case_of(std::optional<SqlNode> subject, SqlNodes branches,
                            std::optional<SqlNode> other, Span span) {
  if (subject) {
    // It is copied into every branch.
    if (subject->count * (branches.size() / 2) > kMaxExpressionNodes) fail_too_many_nodes(span);
    if (error_) return {};
    for (size_t i = 0; i < branches.size(); i += 2)
      branches[i] = combine(Operator::kEqual, span, *subject, std::move(branches[i]));
  }
  if (other) branches.push_back(*std::move(other));
  SqlNode node = combine(Operator::kAnd, span, std::move(branches));
  node.expression.kind = Kind::kCase;
  node.expression.has_else = other.has_value();
  return node;
}

SqlNode SqlBuilder::array(SqlNodes elements, Span span) {
  SqlNode node = combine(Operator::kAnd, span, std::move(elements));
  node.expression.kind = Kind::kArray;
  return node;
}

SqlNode SqlBuilder::object(std::vector<std::pair<std::string, SqlNode>> members, Span span) {
  SqlNodes values;
  std::vector<std::string> keys;
  for (auto& [key, value] : members) {
    keys.push_back(std::move(key));
    values.push_back(std::move(value));
  }
  SqlNode node = combine(Operator::kAnd, span, std::move(values));
  node.expression.kind = Kind::kObject;
  node.expression.keys = std::move(keys);
  return node;
}

SqlNode SqlBuilder::path(std::vector<PathLeg> legs, bool from_root, Span span) {
  SqlNode node;
  node.expression.kind = from_root ? Kind::kPath : Kind::kIdentifier;
  node.expression.path = document::PathExpression(std::move(legs));
  node.expression.text = slice(span);
  return node;
}

void SqlBuilder::add_leg(SqlNode& path, PathLeg leg, Span span) {
  std::vector<PathLeg> legs = path.expression.path.legs();
  if (legs.size() >= 100) fail(span, "a path of more than 100 legs", ErrorCode::kLimitExceeded);
  legs.push_back(std::move(leg));
  path.expression.path = document::PathExpression(std::move(legs));
  path.expression.text = slice(span);
}

SqlNode SqlBuilder::arrow(SqlNode base, const std::string& text, bool unquote, Span span) {
  const auto parsed = document::PathExpression::parse(text);
  if (!parsed) {
    fail(span, parsed.error().message, parsed.error().code);
    return {};
  }
  std::vector<PathLeg> legs = base.expression.path.legs();
  // `doc` is the document itself.
  const bool whole = !legs.empty() && legs.size() <= 3 && legs.back().kind == LegKind::kMember &&
                     legs.back().name == "doc";
  if (whole) legs.clear();
  legs.insert(legs.end(), parsed->legs().begin(), parsed->legs().end());
  base.expression.kind = Kind::kPath;
  base.expression.path = document::PathExpression(std::move(legs));
  base.expression.unquote = unquote;
  base.expression.text = slice(span);
  return base;
}

PathLeg SqlBuilder::cell(const std::string& number, Span span) {
  PathLeg leg;
  leg.kind = LegKind::kElement;
  leg.first.offset =
      static_cast<uint32_t>(std::min<uint64_t>(unsigned_number(number, span), UINT32_MAX));
  return leg;
}

document::PathExpression SqlBuilder::target(const SqlNode& node) {
  const auto& legs = node.expression.path.legs();
  if (node.expression.kind == Kind::kIdentifier && legs.size() == 1 && legs[0].name == "doc")
    return {};
  // SET c.a = 1 of UPDATE c is the document's `a`, as it is in WHERE.
  if (node.expression.kind == Kind::kIdentifier && legs.size() > 1 &&
      legs[0].kind == LegKind::kMember && legs[0].name == update_target)
    return document::PathExpression({legs.begin() + 1, legs.end()});
  return node.expression.path;
}

Expression SqlBuilder::finish(SqlNode node) {
  if (node.expression.kind == Kind::kAnyPath) fail(node.span, kAnyPathAlone);
  return std::move(node.expression);
}

std::vector<Expression> SqlBuilder::finish(SqlNodes nodes) {
  std::vector<Expression> out;
  out.reserve(nodes.size());
  for (SqlNode& node : nodes) out.push_back(finish(std::move(node)));
  return out;
}

Expression SqlBuilder::setting(SqlNode node) {
  const auto& legs = node.expression.path.legs();
  if (node.expression.kind == Kind::kIdentifier && legs.size() == 1)
    return literal(SqlValue::text(legs[0].name)).expression;
  return finish(std::move(node));
}

Projection SqlBuilder::projection(SqlNode node, std::string alias, Span span) {
  Projection out;
  out.expression = std::move(node.expression);
  if (out.expression.kind == Kind::kAnyPath) out.expression.kind = Kind::kStar;
  out.expression.text = slice(span);
  out.alias = std::move(alias);
  return out;
}

// `c.*` is everything where c is what is read; else it is a path: all members of c.
std::vector<Projection> SqlBuilder::projections(std::vector<Projection> list,
                                                const CollectionRef& from) {
  const std::string& known = from.alias.empty() ? from.collection : from.alias;
  for (Projection& projection : list) {
    const auto& legs = projection.expression.path.legs();
    if (projection.expression.kind == Kind::kIdentifier && legs.size() == 2 && !known.empty() &&
        legs[0].name == known && legs[1].kind == LegKind::kAnyMember)
      projection.expression.kind = Kind::kStar;
  }
  return list;
}

// FROM DUAL reads nothing.
std::optional<CollectionRef> SqlBuilder::source(CollectionRef from) {
  if (from.database.empty() && same_word(from.collection, "DUAL")) return std::nullopt;
  return from;
}

Expression SqlBuilder::row_count(const std::string& number, Span span) {
  const uint64_t count = unsigned_number(number, span);
  return literal(count <= INT64_MAX ? SqlValue::signed_integer(static_cast<int64_t>(count))
                                    : SqlValue::unsigned_integer(count))
      .expression;
}

IndexMember SqlBuilder::index_member(const SqlNode& path, std::string type, bool required) {
  IndexMember member;
  member.path = target(path);
  member.type = upper_case(type);
  member.required = required;
  constexpr std::string_view kArray = " ARRAY";
  if (member.type.ends_with(kArray)) {
    member.array = true;
    member.type.resize(member.type.size() - kArray.size());
  }
  return member;
}

// The new document replaces the old one whatever is written, so only that may be written.
void SqlBuilder::check_upsert(const SqlNode& path, const SqlNode& value, Span span) {
  const bool values = value.expression.kind == Kind::kFunction &&
                      same_word(value.expression.name, "VALUES") &&
                      value.expression.operands.size() == 1;
  if (!is_member(path, "doc") || !values)
    fail(span, "expected doc = VALUES(doc): the document is replaced");
}

void SqlBuilder::check_document_column(const std::string& name, Span span) {
  if (!same_word(name, "doc")) fail(span, "expected doc, the only column of a collection");
}

uint64_t SqlBuilder::unsigned_number(const std::string& text, Span span) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(span, "expected a whole number");
  return value;
}

}  // namespace wherestar::server
