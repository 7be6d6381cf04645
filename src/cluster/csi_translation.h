// In-tree volumes as the CSI drivers know them that took them over.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "api/node_selector.h"
#include "api/storage.h"
#include "api/volume.h"
#include "base/result.h"

namespace berth {

// What a CSI driver calls a volume.
struct CsiVolume {
  std::string driver;
  std::string handle;
  friend auto operator<=>(const CsiVolume&, const CsiVolume&) = default;
};

// An in-tree volume plugin that a CSI driver has taken over.
struct InTreePlugin {
  std::string_view name;    // "kubernetes.io/aws-ebs"
  std::string_view driver;  // "ebs.csi.aws.com"
  // The driver's label for the zone of a node; empty if zones are not translated.
  std::string_view zone_label;
  // Its volumes count against the driver's limits.
  bool counted;
};

// The plugin that serves a volume, or null if no CSI driver has taken over.
const InTreePlugin* InTreePluginOf(const api::PersistentVolume& volume);
const InTreePlugin* InTreePluginOf(const api::Volume& volume);
const InTreePlugin* FindInTreePlugin(std::string_view name);

// The CSI volume of a volume that has an in-tree plugin. Volumes that are not counted get no
// handle: nothing needs it.
Result<CsiVolume> TranslateToCsi(const api::PersistentVolume& volume);
Result<CsiVolume> TranslateToCsi(const api::Volume& volume);

// The node affinity of a volume with an in-tree plugin, in terms of the driver's zone label.
std::optional<api::NodeSelector> TranslateAffinity(const api::PersistentVolume& volume);

}  // namespace berth
