#include "server/sql_lexer.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include <unicode/utf8.h>

#include "document/document.h"
#include "server/functions.h"
#include "server/sql_builder.h"
#include "sql_grammar.h"

namespace wherestar::server {
namespace {

using Token = SqlGrammar::token;

const std::unordered_map<std::string_view, int>& words() {
  static const std::unordered_map<std::string_view, int> table = {
#define WORD(name) {#name, Token::T_##name},
      WHERESTAR_RESERVED_WORDS(WORD) WHERESTAR_OTHER_WORDS(WORD)
#undef WORD
  };
  return table;
}

bool is_reserved(int kind) {
  switch (kind) {
#define WORD(name) case Token::T_##name:
    WHERESTAR_RESERVED_WORDS(WORD)
#undef WORD
    return true;
    default:
      return false;
  }
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<uint8_t>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

struct Symbol {
  std::string_view text;
  int kind;
};
// Longer ones first.
constexpr Symbol kSymbols[] = {{"<=>", Token::T_NULL_SAFE},
                               {"->>", Token::T_ARROW_TEXT},
                               {"->", Token::T_ARROW},
                               {"<=", Token::T_LESS_EQUAL},
                               {">=", Token::T_GREATER_EQUAL},
                               {"<>", Token::T_NOT_EQUAL},
                               {"!=", Token::T_NOT_EQUAL},
                               {"==", Token::T_EQUAL},
                               {"<<", Token::T_SHIFT_LEFT},
                               {">>", Token::T_SHIFT_RIGHT},
                               {"&&", Token::T_AND},
                               {"||", Token::T_OR},
                               {":=", Token::T_EQUAL},
                               {"=", Token::T_EQUAL},
                               {"<", Token::T_LESS},
                               {">", Token::T_GREATER},
                               {"!", Token::T_BANG},
                               {"+", Token::T_PLUS},
                               {"-", Token::T_MINUS},
                               {"/", Token::T_SLASH},
                               {"%", Token::T_PERCENT},
                               {"&", Token::T_AMPERSAND},
                               {"|", Token::T_BAR},
                               {"^", Token::T_CARET},
                               {"~", Token::T_TILDE},
                               {"(", Token::T_OPEN},
                               {")", Token::T_CLOSE},
                               {"[", Token::T_OPEN_BRACKET},
                               {"]", Token::T_CLOSE_BRACKET},
                               {"{", Token::T_OPEN_BRACE},
                               {"}", Token::T_CLOSE_BRACE},
                               {",", Token::T_COMMA},
                               {".", Token::T_DOT},
                               {":", Token::T_COLON},
                               {";", Token::T_SEMICOLON},
                               {"?", Token::T_PLACEHOLDER}};

// 56 bytes each; a million is far more than a person or a client writes.
constexpr size_t kMaxTokens = 1u << 20;

class Lexer {
 public:
  Lexer(std::string_view text, SqlText what) : text_(text), what_(what) {}

  Result<std::vector<SqlToken>> run() {
    for (;;) {
      RETURN_IF_ERROR(skip_blanks());
      if (at_ == text_.size()) break;
      if (tokens_.size() == kMaxTokens)
        return fail(ErrorCode::kLimitExceeded,
                    sql_place(text_, {at_, at_ + 1}) + ": more than 1048576 words and signs");
      RETURN_IF_ERROR(next());
    }
    tokens_.push_back({Token::T_END_OF_TEXT, {}, {text_.size(), text_.size()}});
    return std::move(tokens_);
  }

 private:
  std::unexpected<Error> error(size_t begin, std::string_view what) const {
    return fail(
        ErrorCode::kSqlSyntax,
        sql_place(text_, {begin, std::min(begin + 1, text_.size())}) + ": " + std::string(what));
  }
  bool starts(std::string_view symbol) const { return text_.substr(at_).starts_with(symbol); }
  int previous() const { return tokens_.empty() ? 0 : tokens_.back().kind; }
  void add(int kind, std::string text, size_t begin) {
    tokens_.push_back({kind, std::move(text), {begin, at_}});
  }

  Status skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '#' ||
                 (starts("--") && (at_ + 2 == text_.size() || is_blank(text_[at_ + 2])))) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (starts("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return error(at_, "a comment without end");
        at_ = end + 2;
      } else {
        break;
      }
    }
    return {};
  }

  // May an operand stand here?
  bool operand_position() const {
    switch (const int kind = previous(); kind) {
      case Token::T_END:
      case Token::T_NULL:
      case Token::T_TRUE:
      case Token::T_FALSE:
      case Token::T_NAME:
      case Token::T_STRING:
      case Token::T_NUMBER:
      case Token::T_HEX:
      case Token::T_DOLLAR:
      case Token::T_VARIABLE:
      case Token::T_PLACEHOLDER:
      case Token::T_CLOSE:
      case Token::T_CLOSE_BRACKET:
      case Token::T_CLOSE_BRACE:
      case Token::T_STAR:  // a * 2 after the any path
        return false;
      default:
        // Symbols and reserved words want an operand behind them, other words may be names.
        if (tokens_.empty() || is_reserved(kind)) return true;
        return std::ranges::any_of(kSymbols, [&](const Symbol& s) { return s.kind == kind; });
    }
  }

  Status next() {
    const size_t begin = at_;
    const char c = text_[at_];
    if (c == '\'' || c == '"' || c == '`') return quoted(c);
    if ((c == 'x' || c == 'X') && at_ + 1 < text_.size() && text_[at_ + 1] == '\'') return hex(2);
    // Behind a dot `2nd` is a name.
    if (is_digit(c) && previous() == Token::T_DOT) return word();
    if (is_digit(c) ||
        (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) && operand_position()))
      return number();
    if (c == '@' && !starts("@@") &&
        (previous() == Token::T_STRING || previous() == Token::T_NAME)) {  // user@host
      ++at_;
      add(Token::T_AT, "@", begin);
      return {};
    }
    if (c == '@') return variable();
    if (c == '$' &&
        (at_ + 1 == text_.size() || !(is_letter(text_[at_ + 1]) || is_digit(text_[at_ + 1])))) {
      ++at_;
      add(Token::T_DOLLAR, "$", begin);
      return {};
    }
    if (is_letter(c)) return word();
    if (starts("**") && !operand_position()) {
      at_ += 2;
      add(Token::T_DESCENDANTS, "**", begin);
      return {};
    }
    if (c == '*') {
      const bool star = operand_position();
      ++at_;
      add(star ? Token::T_STAR : Token::T_TIMES, "*", begin);
      return {};
    }
    for (const Symbol& symbol : kSymbols) {
      if (!starts(symbol.text)) continue;
      at_ += symbol.text.size();
      add(symbol.kind, std::string(symbol.text), begin);
      return {};
    }
    return error(begin, "a character that SQL does not know");
  }

  Status word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    if (previous() == Token::T_DOT) {
      add(Token::T_NAME, std::move(name), begin);
      return {};
    }
    const std::string upper = upper_case(name);
    size_t behind = at_;
    while (behind < text_.size() && is_blank(text_[behind])) ++behind;
    const bool called = behind < text_.size() && text_[behind] == '(';
    if (called && (upper == "CAST" || upper == "CONVERT")) {
      add(upper == "CAST" ? Token::T_CAST : Token::T_CONVERT, std::move(name), begin);
      return {};
    }
    if (upper == "MOD" && !operand_position()) {
      add(Token::T_PERCENT, std::move(name), begin);
      return {};
    }
    const auto found = name_here(upper, behind) ? words().end() : words().find(upper);
    add(found == words().end() ? int{Token::T_NAME} : found->second, std::move(name), begin);
    return {};
  }

  // Is the word that ends before `behind` a name here, whatever else it is elsewhere?
  bool name_here(std::string_view upper, size_t behind) const {
    const std::string_view rest = text_.substr(behind);
    if (rest.starts_with(':') && !rest.starts_with(":=")) return true;  // a key of an object
    // Words of two places only.
    if (upper == "IF") return !next_word_is(behind, {"NOT", "EXISTS"});
    if (upper == "IGNORE") return previous() != Token::T_INSERT;
    const auto found = words().find(upper);
    return found != words().end() && is_reserved(found->second) && reserved_name_here(upper);
  }

  // Reserved words that begin no operand are names where one must begin: WHERE offset > 3.
  bool reserved_name_here(std::string_view upper) const {
    static constexpr std::string_view kBeginOrEnd[] = {
        "SELECT", "DISTINCT", "FROM", "WHERE", "HAVING", "NOT",  "CASE",
        "WHEN",   "INTERVAL", "NULL", "TRUE",  "FALSE",  "UNION"};
    const int kind = previous();
    if (kind == Token::T_AS) return true;
    if (tokens_.empty() && what_ == SqlText::kStatement) return false;
    if (std::ranges::find(kBeginOrEnd, upper) != std::end(kBeginOrEnd)) return false;
    switch (kind) {
      case Token::T_SELECT:
      case Token::T_DISTINCT:
      case Token::T_FROM:
      case Token::T_INTO:
      case Token::T_WHERE:
      case Token::T_HAVING:
      case Token::T_BY:
      case Token::T_AND:
      case Token::T_OR:
      case Token::T_XOR:
      case Token::T_SET:
        return true;
      default:
        return kind != Token::T_SEMICOLON && kind != Token::T_STAR && !is_reserved(kind) &&
               operand_position();
    }
  }

  bool next_word_is(size_t at, std::initializer_list<std::string_view> wanted) const {
    const size_t begin = at;
    while (at < text_.size() && is_letter(text_[at])) ++at;
    return std::ranges::find(wanted, upper_case(text_.substr(begin, at - begin))) != wanted.end();
  }

  Status number() {
    const size_t begin = at_;
    if (starts("0x") && at_ + 2 < text_.size() &&
        std::isxdigit(static_cast<uint8_t>(text_[at_ + 2])))
      return hex(0);
    const auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    // A leg of a path such as `a[0].b`, or `1.` of a number: only digits make it one.
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      size_t exponent = at_ + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        at_ = exponent;
        digits();
      }
    }
    if (at_ < text_.size() && is_letter(text_[at_])) return error(begin, "a number with letters");
    add(Token::T_NUMBER, std::string(text_.substr(begin, at_ - begin)), begin);
    return {};
  }

  // x'0aff' (quote at 2 - 1) or 0x0aff.
  Status hex(size_t quote) {
    const size_t begin = at_;
    at_ += 2;
    const size_t first = at_;
    while (at_ < text_.size() && std::isxdigit(static_cast<uint8_t>(text_[at_]))) ++at_;
    std::string digits(text_.substr(first, at_ - first));
    if (quote != 0) {
      if (at_ == text_.size() || text_[at_] != '\'' || digits.size() % 2 != 0)
        return error(begin, "a wrong hexadecimal literal");
      ++at_;
    }
    if (digits.size() % 2 != 0) digits.insert(0, 1, '0');
    std::string bytes;
    for (size_t i = 0; i < digits.size(); i += 2)
      bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    add(Token::T_HEX, std::move(bytes), begin);
    return {};
  }

  Status variable() {
    const size_t begin = at_;
    if (!starts("@@")) return error(begin, "user variables are not supported");
    at_ += 2;
    const size_t first = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    if (at_ == first || text_[at_ - 1] == '.') return error(begin, "a variable without name");
    add(Token::T_VARIABLE, std::string(text_.substr(first, at_ - first)), begin);
    return {};
  }

  static void unescape(char c, std::string& out) {
    switch (c) {
      case '0':
        out.push_back('\0');
        break;
      case 'b':
        out.push_back('\b');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'Z':
        out.push_back('\x1a');
        break;
      case '%':
      case '_':
        out.push_back('\\');  // for LIKE
        [[fallthrough]];
      default:
        out.push_back(c);
    }
  }

  Status quoted(char quote) {
    const size_t begin = at_++;
    std::string out;
    for (;;) {
      if (at_ == text_.size())
        return error(begin, quote == '`' ? "a quoted name without end" : "a string without end");
      const char c = text_[at_++];
      if (c == quote) {
        if (at_ == text_.size() || text_[at_] != quote) break;
        out.push_back(quote);
        ++at_;
      } else if (c == '\\' && quote != '`' && at_ < text_.size()) {
        unescape(text_[at_++], out);
      } else {
        out.push_back(c);
      }
    }
    // Behind a dot a quoted text is a member's name: $."a b".
    const bool name = quote == '`' || (quote == '"' && previous() == Token::T_DOT);
    add(name ? Token::T_NAME : Token::T_STRING, std::move(out), begin);
    return {};
  }

  std::string_view text_;
  SqlText what_;
  size_t at_ = 0;
  std::vector<SqlToken> tokens_;
};

std::optional<size_t> invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  int32_t at = 0;
  const auto length = static_cast<int32_t>(text.size());
  while (at < length) {
    const int32_t begin = at;
    UChar32 character = 0;
    U8_NEXT(bytes, at, length, character);
    if (character < 0) return static_cast<size_t>(begin);
  }
  return std::nullopt;
}

}  // namespace

std::string sql_place(std::string_view text, Span span) {
  const document::Position position = document::locate(text, span.begin);
  std::string place = "(line " + std::to_string(position.line) + ", column " +
                      std::to_string(position.column) + ")";
  if (span.begin >= text.size()) return "at the end " + place;
  constexpr size_t kShown = 40;
  std::string_view shown = text.substr(span.begin, span.end - span.begin);
  bool cut = false;
  if (shown.size() > kShown) {
    size_t end = kShown;
    while (end > 0 && (static_cast<uint8_t>(shown[end]) & 0xc0) == 0x80) --end;
    shown = shown.substr(0, end);
    cut = true;
  }
  return "near '" + std::string(shown) + (cut ? "..." : "") + "' " + place;
}

Result<std::vector<SqlToken>> lex_sql(std::string_view text, SqlText what) {
  if (const auto at = invalid_utf8(text)) {
    const document::Position position = document::locate(text, *at);
    return fail(ErrorCode::kInvalidUtf8, "line " + std::to_string(position.line) + ", column " +
                                             std::to_string(position.column) + ": no UTF-8");
  }
  return Lexer(text, what).run();
}

}  // namespace wherestar::server
