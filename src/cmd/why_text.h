// Formats what `berth why` prints as text: the most important first.
#pragma once

#include <cstddef>
#include <string>

#include "explain/pod_explanation.h"
#include "explain/pod_groups.h"

namespace berth::cmd {

std::string ToText(const explain::PodExplanation& pod);
std::string ToText(const explain::PodGroups& groups);
std::string ToText(const explain::GroupExplanation& group);

// Returns the steps of the fix of that number, counted from 1; YAML documents that kubectl reads,
// with comments, if `yaml`.
std::string StepsText(const explain::PodExplanation& pod, size_t number, bool yaml);

}  // namespace berth::cmd
