#include "scheduler/config/strict_json.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "api/json/json_text.h"

namespace berth::scheduler::config {

const StrictJson* StrictJson::Find(std::string_view name) const {
  for (const StrictJsonMember& member : std::views::reverse(members)) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

std::string_view ToString(StrictJson::Kind kind) {
  switch (kind) {
    case StrictJson::Kind::kNull:
      return "null";
    case StrictJson::Kind::kBool:
      return "bool";
    case StrictJson::Kind::kNumber:
      return "number";
    case StrictJson::Kind::kString:
      return "string";
    case StrictJson::Kind::kArray:
      return "array";
    case StrictJson::Kind::kObject:
      return "object";
  }
  return "";
}

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(std::string& out, uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// A recursive descent parser over valid UTF-8. Methods return false after the first error.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<StrictJson> Run() {
    StrictJson root;
    SkipSpace();
    if (ReadValue(root)) {
      SkipSpace();
      if (at_ != text_.size()) Stop("unexpected text after the document");
    }
    if (!error_.empty()) return Fail(Place() + ": " + error_);
    return root;
  }

 private:
  bool Stop(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return false;
  }

  std::string Place() const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::ranges::count(before, '\n');
    const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0.
    return "line " + std::to_string(line) + ", column " + std::to_string(at_ - line_begin + 1);
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool Take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool Unexpected(std::string_view wanted) {
    if (at_ == text_.size()) return Stop("unexpected end of JSON input");
    const auto c = static_cast<unsigned char>(text_[at_]);
    const std::string shown = c < 0x20 || c >= 0x7f ? "byte" : std::string("'") + text_[at_] + "'";
    return Stop("invalid character: " + shown + ", expected " + std::string(wanted));
  }

  void SkipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }

  bool ReadValue(StrictJson& out) {
    const size_t begin = at_;
    const bool ok = ReadContent(out);
    out.raw = text_.substr(begin, at_ - begin);
    return ok;
  }

  bool ReadContent(StrictJson& out) {
    switch (Peek()) {
      case '{':
        out.kind = StrictJson::Kind::kObject;
        return ReadList('}', [&] { return ReadMember(out); });
      case '[':
        out.kind = StrictJson::Kind::kArray;
        return ReadList(']', [&] { return ReadValue(out.items.emplace_back()); });
      case '"':
        out.kind = StrictJson::Kind::kString;
        return ReadString(out.text);
      case 't':
        out.kind = StrictJson::Kind::kBool;
        out.boolean = true;
        return ReadWord("true");
      case 'f':
        out.kind = StrictJson::Kind::kBool;
        return ReadWord("false");
      case 'n':
        return ReadWord("null");
      default:
        out.kind = StrictJson::Kind::kNumber;
        return ReadNumber(out.text);
    }
  }

  // Reads from the opening bracket to `closing`, with `read_one` for each entry.
  template <typename ReadOne>
  bool ReadList(char closing, ReadOne read_one) {
    if (++depth_ > api::kMaxNesting) return Stop("nested too deep");
    ++at_;
    SkipSpace();
    if (!Take(closing)) {
      while (true) {
        SkipSpace();
        if (!read_one()) return false;
        SkipSpace();
        if (Take(closing)) break;
        if (!Take(',')) return Unexpected(closing == '}' ? "',' or '}'" : "',' or ']'");
      }
    }
    --depth_;
    return true;
  }

  bool ReadMember(StrictJson& object) {
    if (Peek() != '"') return Unexpected("a key in quotes");
    StrictJsonMember& member = object.members.emplace_back();
    if (!ReadString(member.name)) return false;
    SkipSpace();
    if (!Take(':')) return Unexpected("':'");
    SkipSpace();
    return ReadValue(member.value);
  }

  bool ReadWord(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return Unexpected("a value");
    at_ += word.size();
    return true;
  }

  bool ReadDigits() {
    if (!IsDigit(Peek())) return Unexpected("a digit");
    while (IsDigit(Peek())) ++at_;
    return true;
  }

  bool ReadNumber(std::string& out) {
    const size_t begin = at_;
    Take('-');
    if (begin == at_ && !IsDigit(Peek())) return Unexpected("a value");
    if (!Take('0') && !ReadDigits()) return false;
    if (Take('.') && !ReadDigits()) return false;
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      if (!ReadDigits()) return false;
    }
    out = text_.substr(begin, at_ - begin);
    return true;
  }

  bool ReadString(std::string& out) {
    ++at_;
    while (true) {
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        ++at_;
      }
      out += text_.substr(begin, at_ - begin);
      if (Take('"')) return true;
      if (!Take('\\')) return Unexpected("the rest of a string");
      if (!ReadEscape(out)) return false;
    }
  }

  bool ReadEscape(std::string& out) {
    static constexpr std::string_view kEscapes = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (Take('u')) return ReadUnicode(out);
    const size_t found = at_ == text_.size() ? std::string_view::npos : kEscapes.find(text_[at_]);
    if (found == std::string_view::npos) return Unexpected("an escape");
    ++at_;
    out += kMeanings[found];
    return true;
  }

  // Reads the four digits after \u. An unpaired surrogate becomes the replacement character.
  bool ReadUnicode(std::string& out) {
    const auto code = ReadHex();
    if (!code) return false;
    uint32_t full = *code;
    if (full >= 0xd800 && full < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
      const size_t before = at_;
      at_ += 2;
      const auto low = ReadHex();
      if (!low) return false;
      if (*low >= 0xdc00 && *low < 0xe000) {
        full = 0x10000 + ((full - 0xd800) << 10) + (*low - 0xdc00);
      } else {
        at_ = before;
      }
    }
    if (full >= 0xd800 && full < 0xe000) full = 0xfffd;
    AppendUtf8(out, full);
    return true;
  }

  std::optional<uint32_t> ReadHex() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      static constexpr std::string_view kDigits = "0123456789abcdef";
      const char c = Peek();
      const size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
      if (digit == std::string_view::npos) {
        Unexpected("a hexadecimal digit");
        return std::nullopt;
      }
      code = code * 16 + static_cast<uint32_t>(digit);
    }
    return code;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  std::string error_;
};

}  // namespace

Result<StrictJson> ParseStrictJson(std::string_view text) {
  if (!api::IsUtf8(text)) return Fail("the text is not valid UTF-8");
  return Parser(text).Run();
}

}  // namespace berth::scheduler::config
