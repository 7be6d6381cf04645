// Validation of NodeResourcesFit's arguments.
//
// kube-scheduler validates these when it creates the plugin, not with the rest of the
// configuration, so that they are not checked in a profile without the plugin.
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"

namespace berth::scheduler::plugins {

// Returns the first error, with kube-scheduler's text.
Status ValidateNodeResourcesFitArgs(const framework::NodeResourcesFitArgs& args);

}  // namespace berth::scheduler::plugins
