// Says what is wrong with a configuration, in kube-scheduler's words.
#pragma once

#include <string>
#include <vector>

#include "config/configuration.h"
#include "config/field_errors.h"

namespace berth::config {

// Every mistake, once; empty if the configuration is fine. The arguments of NodeResourcesFit are
// left to the plugin itself, as in kube-scheduler.
std::vector<std::string> Validate(const Configuration& configuration);

// Checks the arguments of an in-tree plugin; others are accepted.
void ValidateArgs(const PluginArgs& args, const FieldPath& path, FieldErrors& errors);

// Checks `name` as the name of a label or a resource.
void ValidateQualifiedName(const std::string& name, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::config
