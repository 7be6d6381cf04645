#include "daemon/version.h"

#include <fmt/format.h>

#include "base/kubernetes_version.h"
#include "base/text.h"
#include "build_info/build_info.h"

namespace berth::daemon {

std::string GitVersion() {
  return fmt::format("v{}+berth.{}", kKubernetesVersion, build_info::ThisBuild().version);
}

std::string ReportedVersion(const DaemonFlags& flags) {
  return flags.version.starts_with('v') ? flags.version : GitVersion();
}

std::string VersionText(const std::string& version) {
  if (version == "true") return fmt::format("Kubernetes {}\n", GitVersion());
  if (version != "raw") return {};
  const build_info::BuildInfo& build = build_info::ThisBuild();
  return fmt::format(
      "version.Info{{Major:\"1\", Minor:\"{}\", EmulationMajor:\"\", EmulationMinor:\"\", "
      "MinCompatibilityMajor:\"\", MinCompatibilityMinor:\"\", GitVersion:{}, GitCommit:{}, "
      "GitTreeState:{}, BuildDate:{}, GoVersion:\"\", Compiler:{}, Platform:{}}}\n",
      kKubernetesMinor, GoQuote(std::string_view(GitVersion())), GoQuote(build.commit),
      GoQuote(TreeState(build)), GoQuote(build.date), GoQuote(build.compiler),
      GoQuote(build.platform));
}

}  // namespace berth::daemon
