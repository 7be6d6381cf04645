// User is who makes a request, as Kubernetes knows users.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::daemon {

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";

struct User {
  std::string name;
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  friend bool operator==(const User&, const User&) = default;
};

}  // namespace berth::daemon
