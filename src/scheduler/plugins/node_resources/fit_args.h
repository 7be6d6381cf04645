// Validation of NodeResourcesFit's arguments.
//
// kube-scheduler checks these when it makes the plugin, not with the rest of the configuration, so
// that a profile without the plugin may hold any.
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"

namespace berth::scheduler::plugins {

// The first mistake, in kube-scheduler's words.
Status ValidateNodeResourcesFitArgs(const framework::NodeResourcesFitArgs& args);

}  // namespace berth::scheduler::plugins
