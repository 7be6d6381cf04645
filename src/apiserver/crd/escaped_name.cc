#include "apiserver/crd/escaped_name.h"

#include <algorithm>
#include <array>

namespace berth::apiserver::crd {
namespace {

// Words that are no identifiers of CEL.
constexpr std::array kCelReserved = std::to_array<std::string_view>(
    {"as",       "break",   "const",  "continue", "else", "false", "for",
     "function", "if",      "import", "in",       "let",  "loop",  "namespace",
     "null",     "package", "return", "true",     "var",  "void",  "while"});

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool IsReservedWord(std::string_view name) {
  return std::ranges::find(kCelReserved, name) != kCelReserved.end();
}

std::optional<std::string> EscapedName(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return std::nullopt;
  if (IsReservedWord(name)) return "__" + std::string(name) + "__";
  std::string escaped;
  for (size_t i = 0; i < name.size(); ++i) {
    switch (const char c = name[i]) {
      case '.':
        escaped += "__dot__";
        break;
      case '-':
        escaped += "__dash__";
        break;
      case '/':
        escaped += "__slash__";
        break;
      case '_':
        if (name.substr(i).starts_with("__")) {
          escaped += "__underscores__";
          ++i;
        } else {
          escaped += c;
        }
        break;
      default:
        if (!IsLetterOrDigit(c)) return std::nullopt;
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace berth::apiserver::crd
