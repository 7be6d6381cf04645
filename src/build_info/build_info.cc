#include "build_info/build_info.h"

#include "build_info/build_values.h"

namespace berth::build_info {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = __VERSION__;  // "Clang 19.1.0"
#else
constexpr std::string_view kCompiler = "GCC " __VERSION__;
#endif

#if defined(__x86_64__)
constexpr std::string_view kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux/unknown";
#endif

}  // namespace

const BuildInfo& ThisBuild() {
  static const BuildInfo build{.version = kBuildVersion,
                               .commit = kBuildCommit,
                               .modified = kBuildModified,
                               .date = kBuildDate,
                               .compiler = kCompiler,
                               .platform = kPlatform};
  return build;
}

std::string_view TreeState(const BuildInfo& build) {
  if (build.commit.empty()) return "";
  return build.modified ? "dirty" : "clean";
}

std::string VersionAndCommit(const BuildInfo& build) {
  std::string text(build.version);
  text += ", commit ";
  text += build.commit.empty() ? "unknown" : build.commit;
  if (build.modified) text += ", modified";
  return text;
}

std::string_view Day(const BuildInfo& build) { return build.date.substr(0, build.date.find('T')); }

}  // namespace berth::build_info
