#include "api/json/writer.h"

#include <charconv>

namespace berth::api {

namespace {

constexpr char kHex[] = "0123456789abcdef";

bool NeedsEscape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

void AppendEscape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 0xf];
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;  // The start of the text not yet copied.
  for (size_t i = 0; i < text.size(); ++i) {
    if (!NeedsEscape(text[i])) continue;
    out += text.substr(plain, i - plain);
    AppendEscape(out, text[i]);
    plain = i + 1;
  }
  out += text.substr(plain);
  out += '"';
}

void JsonWriter::Key(std::string_view key) {
  Comma();
  AppendJsonString(out_, key);
  out_ += ':';
}

void JsonWriter::String(std::string_view text) {
  Comma();
  AppendJsonString(out_, text);
}

void JsonWriter::Int(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  Literal({digits, end});
}

void JsonWriter::Rewind(size_t mark) { out_.resize(mark); }

bool JsonWriter::at_start() const {
  return !out_.empty() && (out_.back() == '{' || out_.back() == '[');
}

// A string ends in a quote, so a bracket at the end of the text is an opening bracket.
void JsonWriter::Comma() {
  if (!out_.empty() && !at_start() && out_.back() != ':') out_ += ',';
}

void JsonWriter::Open(char bracket) {
  Comma();
  out_ += bracket;
}

void JsonWriter::Close(char bracket) { out_ += bracket; }

void JsonWriter::Literal(std::string_view text) {
  Comma();
  out_ += text;
}

}  // namespace berth::api
