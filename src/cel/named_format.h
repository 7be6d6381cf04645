// NamedFormat is a format of Kubernetes names and values that texts are validated against:
// format.dns1123Label() and others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cel {

struct NamedFormat {
  std::string_view function;  // The name after "format.", and for format.named.
  std::string_view name;
  uint64_t regex_size;  // What validating is charged as.
  // Returns what is wrong with the text; nothing if it is valid.
  std::vector<std::string> (*validate)(std::string_view text);
};

std::span<const NamedFormat> NamedFormats();

}  // namespace berth::cel
