#include "api/field_errors.h"

#include <fmt/format.h>

#include <set>

#include "base/go_duration.h"

namespace berth::api {

std::string Show(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        quoted += {'\\', c};
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

std::string Show(Duration duration) { return Show(FormatGoDuration(duration)); }

void FieldErrors::InvalidText(const FieldPath& path, std::string_view shown, std::string_view why) {
  Add(fmt::format("{}: Invalid value: {}: {}", path.text, shown, why));
}

void FieldErrors::Required(const FieldPath& path, std::string_view why) {
  Add(fmt::format("{}: Required value{}{}", path.text, why.empty() ? "" : ": ", why));
}

void FieldErrors::Forbidden(const FieldPath& path, std::string_view why) {
  Add(fmt::format("{}: Forbidden: {}", path.text, why));
}

void FieldErrors::Duplicate(const FieldPath& path, std::string_view shown) {
  Add(fmt::format("{}: Duplicate value: {}", path.text, shown));
}

void FieldErrors::Unsupported(const FieldPath& path, std::string_view value,
                              std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view name : supported) {
    if (!list.empty()) list += ", ";
    list += Show(name);
  }
  Add(fmt::format("{}: Unsupported value: {}: supported values: {}", path.text, Show(value), list));
}

std::vector<std::string> FieldErrors::Take() && {
  std::set<std::string> seen;
  std::erase_if(errors_, [&](const std::string& error) { return !seen.insert(error).second; });
  return std::move(errors_);
}

}  // namespace berth::api
