// `berth why` about a workload, or about all pending pods: in groups with the same cause.
#pragma once

#include <optional>

#include "cmd/why_cluster.h"
#include "cmd/why_options.h"
#include "cmd/why_subject.h"
#include "explain/pod_explanation.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// Explains the pods of the workload, of all pending ones if there is none. Text says what decides
// first, for all groups; their fixes follow as they are found. Returns the exit code.
int WhyMany(const WhyOptions& options, WhyCluster& cluster,
            const scheduler::framework::Registry& registry,
            const std::optional<WhySubject>& subject, const explain::ExplainOptions& explain);

}  // namespace berth::cmd
