// What this build of Berth is: its version, where it comes from and what made it.
//
// The version is that of project() in CMakeLists.txt. The commit is found at each build, and only
// the file that contains it is compiled again (cmake/BerthBuildInfo.cmake).
#pragma once

#include <string>
#include <string_view>

namespace berth::build_info {

struct BuildInfo {
  std::string_view version;   // "0.1.0"
  std::string_view commit;    // 40 hexadecimal digits; empty if it is not known.
  bool modified = false;      // The sources differ from the commit.
  std::string_view date;      // "2026-01-31T10:00:00Z": of the commit; empty if it is not known.
  std::string_view compiler;  // "GCC 12.2.0"
  std::string_view platform;  // "linux/amd64", as Go calls it.
};

const BuildInfo& ThisBuild();

// Returns "clean" or "dirty", as Kubernetes calls it; empty if the commit is not known.
std::string_view TreeState(const BuildInfo& build);

// Returns "0.1.0, commit 0123...", with ", modified" or ", commit unknown" where that is so.
std::string VersionAndCommit(const BuildInfo& build);

// Returns the day of the build: "2026-01-31", or empty.
std::string_view Day(const BuildInfo& build);

}  // namespace berth::build_info
