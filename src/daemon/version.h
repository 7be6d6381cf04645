// The version that berth-scheduler reports.
#pragma once

#include <string>

#include "daemon/flags.h"

namespace berth::daemon {

// Returns the text of --version=`version`; empty for "false". That of "raw" is as kube-scheduler's,
// with what is known of the build.
std::string VersionText(const std::string& version);

// Returns "v1.36.0+berth.0.1.0": the version of Kubernetes that Berth replaces, and its own.
std::string GitVersion();

// Returns the version to report: GitVersion, unless --version sets another.
std::string ReportedVersion(const DaemonFlags& flags);

}  // namespace berth::daemon
