// The tables of schemas: every field of the kinds served, as text that schema.cc parses once.
//
//   package io.k8s.api.core.v1
//   kind Pod: What it is.
//     spec PodSpec: What should run.
//   type PodSpec
//     containers! []Container @merge:name: At least one.
//     hostPID bool, hostIPC bool
//
// A kind implicitly has apiVersion, kind and metadata. A line has one field with a description, or
// several without. `!` marks a required field, `[]` a list, `{}` a map with string keys, and
// `@strategy:key` the strategy of a strategic merge patch. Types of other packages are prefixed
// with the last but one part of the package: core.PodSpec, meta.LabelSelector.
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
std::string_view ExtensionSchemas();  // CustomResourceDefinitions.

}  // namespace berth::api::scheme
