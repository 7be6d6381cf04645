#include "features/served_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace berth::features {

std::string ServedVersionsText() {
  std::string text;
  for (const int minor : kServedMinors) {
    text += fmt::format("{}v1.{}", text.empty() ? "" : ", ", minor);
  }
  return text;
}

std::optional<int> MinorOf(std::string_view git_version) {
  constexpr std::string_view kMajor = "v1.";
  if (!git_version.starts_with(kMajor)) return std::nullopt;
  git_version.remove_prefix(kMajor.size());
  int minor = 0;
  const char* const begin = git_version.data();
  const auto [end, error] = std::from_chars(begin, begin + git_version.size(), minor);
  if (error != std::errc{} || minor < 0) return std::nullopt;
  return minor;
}

std::string UnservedVersionText(std::string_view git_version) {
  const auto minor = MinorOf(git_version);
  if (!minor) return fmt::format("server version \"{}\" is not one of Kubernetes v1", git_version);
  if (std::ranges::find(kServedMinors, *minor) != std::end(kServedMinors)) return "";
  const bool older = *minor < kKubernetesMinor;
  return fmt::format(
      "server version is {}; this release serves {}, {}", git_version, ServedVersionsText(),
      older
          ? "since a scheduler must not be newer than its API server: upgrade the API server first"
          : "since a scheduler may be one minor version older than its API server: upgrade Berth");
}

}  // namespace berth::features
