// PodLabels: the namespace and labels of a pod, which decide what selectors match it. Replicas
// share them.
#pragma once

#include <cstddef>

#include "cluster/ids.h"
#include "cluster/labels.h"
#include "cluster/shared_table.h"

namespace berth {

struct PodLabels {
  Symbol namespace_;
  Labels labels;
  friend bool operator==(const PodLabels&, const PodLabels&) = default;
};

struct PodLabelsHash {
  size_t operator()(const PodLabels& pod) const {
    size_t hash = pod.namespace_.value;
    for (const Label& label : pod.labels) {
      hash = (hash ^ label.key.value) * 0x9e3779b97f4a7c15ULL;
      hash = (hash ^ label.value.value) * 0x9e3779b97f4a7c15ULL;
    }
    return hash ^ (hash >> 29);
  }
};

using PodLabelsTable = SharedTable<PodLabels, LabelSetId, PodLabelsHash>;

}  // namespace berth
