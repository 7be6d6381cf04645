// Tables of schemas: every field of the kinds served, as text that schema.cc reads once.
//
//   package io.k8s.api.core.v1
//   kind Pod: What it is.
//     spec PodSpec: What should run.
//   type PodSpec
//     containers! []Container @merge:name: At least one.
//     hostPID bool, hostIPC bool
//
// A kind has apiVersion, kind and metadata besides. A line holds one field with a description, or
// several without. `!` marks what is required, `[]` a list, `{}` a map with strings as keys, and
// `@strategy:key` how a strategic merge patch treats it. Types of other packages are named by the
// package's last part but one: core.PodSpec, meta.LabelSelector.
#pragma once

#include <string_view>

namespace berth::api::scheme {

std::string_view MetaSchemas();
std::string_view PodSchemas();
std::string_view VolumeSchemas();
std::string_view CoreSchemas();
std::string_view WorkloadSchemas();
std::string_view StorageSchemas();
std::string_view OtherSchemas();

}  // namespace berth::api::scheme
