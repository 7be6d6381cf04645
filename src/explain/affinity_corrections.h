// Corrections of labels and namespaces that a pod's affinity probably misspells.
#pragma once

#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// Returns the corrections of the required node affinity that the node suggests.
std::vector<Change> NodeAffinityCorrections(const Obstacle& obstacle);

// Returns the corrections of the required pod affinity: labels of no pod, namespaces that do not
// exist, and labels of no namespace.
std::vector<Change> PodAffinityCorrections(const Obstacle& obstacle);

// Returns the value, "cache", that pods of the namespace have of the label of the selector, if none
// has the one it asks for, "cahce"; empty if there is no similar one.
std::string SimilarPodLabel(const scheduler::model::Cluster& cluster,
                            const std::string& namespace_name, const std::string& key,
                            const std::string& value);

// The same for a label of namespaces.
std::string SimilarNamespaceLabel(const scheduler::model::Cluster& cluster, const std::string& key,
                                  const std::string& value);

}  // namespace berth::explain
