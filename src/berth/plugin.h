// The public header for plugin authors: what a plugin is, what it sees, and where it is registered.
// docs/plugins.md leads through it.
//
// Installed as <berth/plugin.h>; CMake target berth::berth.
#pragma once

// IWYU pragma: begin_exports
#include "base/result.h"                         // Result, Error.
#include "scheduler/framework/cluster_event.h"   // ClusterEvent: what a QueueingHint judges.
#include "scheduler/framework/cycle.h"           // Cycle, NodeFilter, NodeScorer.
#include "scheduler/framework/plugin.h"          // The extension points.
#include "scheduler/framework/registry.h"        // Registry, PluginArgs.
#include "scheduler/framework/verdict.h"         // Verdict, Code.
#include "scheduler/framework/waiting_pods.h"    // WaitingPods, for Permit.
#include "scheduler/model/cluster.h"             // Cluster: nodes, pods and other objects.
#include "scheduler/plugins/changed_object.h"    // The object of a ClusterEvent, before and after.
#include "scheduler/plugins/in_tree_registry.h"  // InTreeRegistry.
// IWYU pragma: end_exports
