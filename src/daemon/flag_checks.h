// What is wrong with flags although each of them could be read.
#pragma once

#include <string>
#include <vector>

#include "daemon/flags.h"
#include "daemon/options.h"

namespace berth::daemon {

// All problems; `warnings` gets what is only strange.
std::vector<std::string> CheckFlags(const DaemonFlags& flags, std::vector<std::string>& warnings);

// Adds the labels of --allow-metric-labels-manifest, unless there are some on the command line.
// Returns what is wrong with either.
std::vector<std::string> ReadMetricLabels(MetricsFlags& metrics, const FileReader& read);

}  // namespace berth::daemon
