// The pods of a DaemonSet: where they may run, and how they ask for their node.
#pragma once

#include <string_view>

#include "api/node.h"
#include "api/pod.h"
#include "apiserver/json.h"

namespace berth::world {

// Gives the pod the tolerations that all pods of DaemonSets have.
void AddDaemonTolerations(apiserver::JsonObject& pod);
// Makes the pod ask for the node by name, besides whatever it asks for.
void AskForNode(apiserver::JsonObject& pod, std::string_view node);

struct DaemonFit {
  bool runs = false;   // A pod should be there.
  bool stays = false;  // One that is there already may stay.
};
// `pod` is one of the DaemonSet's with its tolerations.
DaemonFit FitOf(const api::Pod& pod, const api::Node& node);

}  // namespace berth::world
