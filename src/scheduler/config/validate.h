// What a user should know about a valid configuration: things it asks for that have no effect.
#pragma once

#include <string>
#include <vector>

#include "api/field_errors.h"
#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

// One sentence each, with the path of the field. `configuration` must be complete and valid.
std::vector<std::string> Warnings(const Configuration& configuration);

// Says what is wrong with a configuration, in kube-scheduler's words.
// Every mistake, once; empty if the configuration is fine. The arguments of NodeResourcesFit are
// left to the plugin itself, as in kube-scheduler.
std::vector<std::string> Validate(const Configuration& configuration);

// Checks the arguments of an in-tree plugin; others are accepted.
void ValidateArgs(const framework::PluginArgs& args, const api::FieldPath& path,
                  api::FieldErrors& errors);

// Checks `name` as the name of a label or a resource.
void ValidateQualifiedName(const std::string& name, const api::FieldPath& path,
                           api::FieldErrors& errors);

}  // namespace berth::scheduler::config
