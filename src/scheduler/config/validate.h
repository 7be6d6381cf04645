// Validates a configuration with kube-scheduler's error messages, and warns about settings without
// effect.
#pragma once

#include <string>
#include <vector>

#include "api/field_errors.h"
#include "scheduler/config/configuration.h"

namespace berth::scheduler::config {

// Returns one sentence per setting without effect, with the field's path. `configuration` must be
// complete and valid.
std::vector<std::string> Warnings(const Configuration& configuration);

// Returns every error once; empty if the configuration is valid. NodeResourcesFit validates its own
// arguments, as in kube-scheduler.
std::vector<std::string> Validate(const Configuration& configuration);

// Validates the arguments of an in-tree plugin; accepts those of others.
void ValidateArgs(const framework::PluginArgs& args, const api::FieldPath& path,
                  const model::Features& features, api::FieldErrors& errors);

// Validates `name` as the name of a label or a resource.
void ValidateQualifiedName(const std::string& name, const api::FieldPath& path,
                           api::FieldErrors& errors);

}  // namespace berth::scheduler::config
