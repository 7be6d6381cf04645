// The tables of schemas: every field of the kinds served, as text that schema.cc parses once. JSON
// decoding, protobuf, OpenAPI and strategic merge patches follow them.
//
//   package io.k8s.api.core.v1
//   kind Pod: What it is.
//     2 spec PodSpec: What should run.
//   type PodSpec
//     2 containers! []Container @merge:name: At least one.
//     4 terminationGracePeriodSeconds *long, 11 hostNetwork bool
//   type Volume
//     1 name! string, 2 = VolumeSource
//
// A kind implicitly has apiVersion, kind and metadata (number 1). A line has one field with a
// description, or several without. A field starts with its number in protobuf, as in the
// generated.proto files of v1.36; without one it exists only in JSON. `!` marks a required field,
// `[]` a list, `{}` a map with string keys. `*` marks a pointer in Go: protobuf that has the field
// sets it even if it is zero or empty, as it does required numbers and booleans; elsewhere zero
// means unset. `2 = VolumeSource` embeds the fields of that type in JSON, and is a message of its
// own in protobuf. `T|bool`, `T|list` and `T|strings` are a T, or else a boolean, a list of T or a
// list of strings. `string(A|B)` has only these values, in alphabetical order. `@strategy:key` is
// the strategy of a strategic merge patch. Types of other packages are prefixed with the last but
// one part of the package: core.PodSpec, meta.LabelSelector.
#pragma once

#include <string_view>

namespace berth::api::scheme {

std::string_view MetaSchemas();
std::string_view PodSchemas();
std::string_view VolumeSchemas();
std::string_view CoreSchemas();
std::string_view WorkloadSchemas();
std::string_view StorageSchemas();
std::string_view NetworkingSchemas();
std::string_view AccessSchemas();
std::string_view ExtensionSchemas();
std::string_view OtherSchemas();

}  // namespace berth::api::scheme
