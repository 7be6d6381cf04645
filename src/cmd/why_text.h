// Formats what `berth why` prints as text: the most important first.
#pragma once

#include <cstddef>
#include <string>

#include "cmd/why_times.h"
#include "explain/pod_explanation.h"
#include "explain/pod_groups.h"

namespace berth::cmd {

std::string ToText(const explain::PodExplanation& pod, const TimeFormat& times);
// The first lines about groups of pods: how many, and what was not created; with `list`, the
// sentence of each group.
std::string HeadText(const explain::PodGroups& groups, bool list);
// A group. With `details`, as those of a pod. Its fixes are numbered after `others`.
std::string ToText(const explain::PodGroup& group, bool details, size_t others = 0);
std::string ToText(const explain::GroupExplanation& group);

// Returns the steps of the fix, as commands; YAML documents that kubectl reads, with comments, if
// `yaml`.
std::string StepsText(const explain::Fix& fix, const explain::Workload& workload, bool yaml);

}  // namespace berth::cmd
