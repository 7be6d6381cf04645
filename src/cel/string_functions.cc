// Functions of strings. Positions count code points.
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"

namespace berth::cel {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

// Like text.find, in linear time.
size_t FindText(std::string_view text, std::string_view part, size_t start = 0) {
  if (start > text.size()) return kNowhere;
  if (part.empty()) return start;
  if (text.empty()) return kNowhere;  // Its data may be null, which memmem does not accept.
  const void* found = memmem(text.data() + start, text.size() - start, part.data(), part.size());
  return found == nullptr ? kNowhere
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// Returns the offset in bytes of code point `index`, which is at most the number of code points.
size_t ByteOffset(std::string_view text, int64_t index) {
  size_t offset = 0;
  for (; index > 0; --index) offset += CodePointSize(text.substr(offset));
  return offset;
}

int64_t Length(std::string_view text) { return static_cast<int64_t>(CountCodePoints(text)); }

Value OutOfRange(const Call& call, int64_t index) {
  return call.evaluation.FailWith("index out of range: {}", index);
}

Value Contains(const Call& call) {
  if (!call[0].is(Kind::kString) || !call[1].is(Kind::kString)) {
    return Value::Error(kNoSuchOverload);
  }
  return Value::Bool(FindText(call[0].text(), call[1].text()) != kNowhere);
}

Value StartsWith(const Call& call) {
  if (!call[0].is(Kind::kString) || !call[1].is(Kind::kString)) {
    return Value::Error(kNoSuchOverload);
  }
  return Value::Bool(call[0].text().starts_with(call[1].text()));
}

Value EndsWith(const Call& call) {
  if (!call[0].is(Kind::kString) || !call[1].is(Kind::kString)) {
    return Value::Error(kNoSuchOverload);
  }
  return Value::Bool(call[0].text().ends_with(call[1].text()));
}

Value CharAt(const Call& call) {
  const std::string_view text = call[0].text();
  const int64_t index = call[1].integer();
  const int64_t length = Length(text);
  if (index < 0 || index > length) return OutOfRange(call, index);
  if (index == length) return Value::String("");
  const std::string_view rest = text.substr(ByteOffset(text, index));
  return Value::String(rest.substr(0, CodePointSize(rest)));
}

Value IndexOf(const Call& call) {
  const std::string_view text = call[0].text();
  const int64_t offset = call.args.size() > 2 ? call[2].integer() : 0;
  if (call[1].text().empty()) return Value::Int(offset);
  if (offset < 0) return OutOfRange(call, offset);
  if (offset >= Length(text)) return Value::Int(-1);
  const size_t found = FindText(text, call[1].text(), ByteOffset(text, offset));
  return Value::Int(found == kNowhere ? -1 : Length(text.substr(0, found)));
}

Value LastIndexOf(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view part = call[1].text();
  const int64_t length = Length(text);
  const int64_t offset = call.args.size() > 2 ? call[2].integer() : length - 1;
  if (part.empty()) return Value::Int(call.args.size() > 2 ? offset : length);
  if (call.args.size() > 2) {
    if (offset < 0) return OutOfRange(call, offset);
    if (offset >= length) return Value::Int(-1);
  }
  const int64_t last = std::min(offset, length - Length(part));
  // The search compares all of `part` at each position in the worst case.
  if (last < 0 || !call.evaluation.Spend(text.size() * part.size() / 32)) return Value::Int(-1);
  const size_t found = text.rfind(part, ByteOffset(text, last));
  return Value::Int(found == kNowhere ? -1 : Length(text.substr(0, found)));
}

template <typename Map>
Value MapBytes(const Call& call, const Map& map) {
  const std::string_view text = call[0].text();
  if (!call.evaluation.Reserve(text.size())) return call[0];
  char* copy = call.evaluation.arena().NewArray<char>(text.size());
  std::ranges::transform(text, copy, map);
  return Value::String({copy, text.size()});
}

Value LowerAscii(const Call& call) {
  return MapBytes(call,
                  [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
}

Value UpperAscii(const Call& call) {
  return MapBytes(call,
                  [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
}

// Returns where `old` occurs in `text`: an empty one before each code point and at the end.
std::vector<size_t> Occurrences(std::string_view text, std::string_view old, uint64_t limit) {
  std::vector<size_t> found;
  size_t at = 0;
  while (found.size() < limit) {
    at = FindText(text, old, at);
    if (at == kNowhere) break;
    found.push_back(at);
    if (!old.empty()) {
      at += old.size();
    } else if (at < text.size()) {
      at += CodePointSize(text.substr(at));
    } else {
      break;
    }
  }
  return found;
}

Value Replace(const Call& call) {
  const std::string_view text = call[0].text();
  const std::string_view old = call[1].text();
  const std::string_view replacement = call[2].text();
  const int64_t limit = call.args.size() > 3 ? call[3].integer() : -1;
  if (limit == 0 || old == replacement) return call[0];
  const std::vector<size_t> found =
      Occurrences(text, old, limit < 0 ? UINT64_MAX : static_cast<uint64_t>(limit));
  const size_t size = text.size() - found.size() * old.size() + found.size() * replacement.size();
  if (!call.evaluation.Reserve(size)) return call[0];
  std::string result;
  result.reserve(size);
  size_t done = 0;
  for (const size_t at : found) {
    result.append(text.substr(done, at - done)).append(replacement);
    done = at + old.size();
  }
  return call.evaluation.NewString(result.append(text.substr(done)));
}

Value Split(const Call& call) {
  std::string_view rest = call[0].text();
  const std::string_view separator = call[1].text();
  const int64_t limit = call.args.size() > 2 ? call[2].integer() : -1;
  if (limit == 0 || (separator.empty() && rest.empty())) {
    return MakeList(call.evaluation.arena(), {});
  }
  std::vector<Value> parts;
  while (limit < 0 || static_cast<int64_t>(parts.size()) + 1 < limit) {
    size_t end = 0;
    if (separator.empty()) {
      end = CodePointSize(rest);
      if (end == rest.size()) break;
    } else {
      end = FindText(rest, separator);
      if (end == kNowhere) break;
    }
    if (!call.evaluation.Reserve((parts.size() + 1) * sizeof(Value))) break;
    parts.push_back(Value::String(rest.substr(0, end)));
    rest.remove_prefix(end + separator.size());
  }
  parts.push_back(Value::String(rest));
  if (!call.evaluation.Reserve(parts.size() * sizeof(Value))) return call[0];
  return MakeList(call.evaluation.arena(), parts);
}

Value Substring(const Call& call) {
  const std::string_view text = call[0].text();
  const int64_t length = Length(text);
  const int64_t start = call[1].integer();
  const int64_t end = call.args.size() > 2 ? call[2].integer() : length;
  if (call.args.size() > 2 && start > end) {
    return call.evaluation.FailWith("invalid substring range. start: {}, end: {}", start, end);
  }
  if (start < 0 || start > length) return OutOfRange(call, start);
  if (end < 0 || end > length) return OutOfRange(call, end);
  const size_t first = ByteOffset(text, start);
  const std::string_view rest = text.substr(first);
  return Value::String(rest.substr(0, ByteOffset(rest, end - start)));
}

// Returns the size of the space at the front of the text, 0 if there is none.
size_t SpaceSize(std::string_view text) {
  static constexpr std::string_view kSpaces[] = {
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00A0", "\u1680",
      "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
      "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};
  for (const std::string_view space : kSpaces) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

Value TrimSpace(const Call& call) {
  std::string_view text = call[0].text();
  for (size_t size = 1; size > 0 && !text.empty();) {
    size = SpaceSize(text);
    text.remove_prefix(size);
  }
  size_t end = text.size();
  while (end > 0) {
    size_t start = end - 1;
    while (start > 0 && (static_cast<uint8_t>(text[start]) & 0xC0) == 0x80) --start;
    if (SpaceSize(text.substr(start, end - start)) != end - start) break;
    end = start;
  }
  return Value::String(text.substr(0, end));
}

Value Join(const Call& call) {
  const std::string_view separator = call.args.size() > 1 ? call[1].text() : "";
  size_t size = 0;
  for (const Value& item : call[0].items()) {
    if (!item.is(Kind::kString)) {
      return call.evaluation.FailWith("join: invalid input: {}", DescribeValue(item));
    }
    size += item.text().size() + separator.size();
  }
  if (!call.evaluation.Reserve(size)) return call[0];
  std::string text;
  text.reserve(size);
  for (const Value& item : call[0].items()) {
    if (&item != call[0].items().data()) text += separator;
    text += item.text();
  }
  return call.evaluation.NewString(text);
}

Value Quote(const Call& call) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string text = "\"";
  for (std::string_view rest = call[0].text(); !rest.empty();) {
    const size_t size = CodePointSize(rest);
    const size_t escape = kEscaped.find(rest[0]);
    if (escape != kNowhere) {
      text.append("\\").append(1, kLetters[escape]);
    } else if (size == 1 && static_cast<uint8_t>(rest[0]) >= 0x80) {
      text += "\uFFFD";
    } else {
      text += rest.substr(0, size);
    }
    rest.remove_prefix(size);
  }
  text += '"';
  return call.evaluation.Reserve(text.size()) ? call.evaluation.NewString(text) : call[0];
}

}  // namespace

void AddStringFunctions(Environment& environment) {
  const Type* const s = &kStringType;
  const Type* const i = &kIntType;
  const Type* const strings = environment.types().List(s);
  environment.Define("contains")
      .Runs(Contains)
      .Member("contains_string", {s, s}, &kBoolType, nullptr, CostRule::kSubstring);
  environment.Define("startsWith")
      .Runs(StartsWith)
      .Member("starts_with_string", {s, s}, &kBoolType, nullptr, CostRule::kScanPrefix);
  environment.Define("endsWith")
      .Runs(EndsWith)
      .Member("ends_with_string", {s, s}, &kBoolType, nullptr, CostRule::kScanPrefix);
  environment.Define("charAt").Member("string_char_at_int", {s, i}, s, CharAt);
  environment.Define("indexOf")
      .Costs(CostRule::kTraverse)
      .Member("string_index_of_string", {s, s}, i, IndexOf)
      .Member("string_index_of_string_int", {s, s, i}, i, IndexOf);
  environment.Define("lastIndexOf")
      .Costs(CostRule::kTraverse)
      .Member("string_last_index_of_string", {s, s}, i, LastIndexOf)
      .Member("string_last_index_of_string_int", {s, s, i}, i, LastIndexOf);
  environment.Define("lowerAscii")
      .Costs(CostRule::kTransform)
      .Member("string_lower_ascii", {s}, s, LowerAscii);
  environment.Define("upperAscii")
      .Costs(CostRule::kTransform)
      .Member("string_upper_ascii", {s}, s, UpperAscii);
  environment.Define("trim").Costs(CostRule::kTransform).Member("string_trim", {s}, s, TrimSpace);
  environment.Define("substring")
      .Costs(CostRule::kTransform)
      .Member("string_substring_int", {s, i}, s, Substring)
      .Member("string_substring_int_int", {s, i, i}, s, Substring);
  environment.Define("replace")
      .Costs(CostRule::kReplace)
      .Member("string_replace_string_string", {s, s, s}, s, Replace)
      .Member("string_replace_string_string_int", {s, s, s, i}, s, Replace);
  environment.Define("split")
      .Costs(CostRule::kSplit)
      .Member("string_split_string", {s, s}, strings, Split)
      .Member("string_split_string_int", {s, s, i}, strings, Split);
  environment.Define("join")
      .Costs(CostRule::kJoin)
      .Member("list_join", {strings}, s, Join)
      .Member("list_join_string", {strings, s}, s, Join);
  environment.Define("strings.quote").Global("strings_quote", {s}, s, Quote, CostRule::kScan);
}

}  // namespace berth::cel
