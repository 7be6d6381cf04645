// The fields of Kubernetes' protobuf messages as text. Numbers and names are those of the
// generated.proto files of v1.36. There is one table per group; large groups have several.
//
// A line names a message and lists its fields, each with number, JSON name and type; lines that
// start with blanks continue the message above. Types are
//   string (the default), bytes, int, bool,
//   Quantity, Time, MicroTime, Duration, IntOrString, RawExtension (any JSON),
//   strings (a message that wraps a list of strings),
//   or a message of the same group, of meta, or of another group (core.PodTemplateSpec).
// []T is a list, {}T a map from strings. *T is a pointer in Go: it is set even if zero or empty,
// where other types count as unset. "1 = T" embeds the fields of T in the message itself.
#pragma once

#include <string_view>

namespace berth::api::protobuf {

struct DescriptorTable {
  std::string_view group;
  std::string_view text;
};

extern const DescriptorTable kProtobufMeta;
extern const DescriptorTable kProtobufCore;
extern const DescriptorTable kProtobufCorePod;
extern const DescriptorTable kProtobufCoreVolumes;
extern const DescriptorTable kProtobufApps;
extern const DescriptorTable kProtobufBatch;
extern const DescriptorTable kProtobufPolicy;
extern const DescriptorTable kProtobufScheduling;
extern const DescriptorTable kProtobufCoordination;
extern const DescriptorTable kProtobufEvents;
extern const DescriptorTable kProtobufAutoscaling;
extern const DescriptorTable kProtobufStorage;
extern const DescriptorTable kProtobufResource;
extern const DescriptorTable kProtobufAuthentication;
extern const DescriptorTable kProtobufAuthorization;
extern const DescriptorTable kProtobufRbac;

}  // namespace berth::api::protobuf
