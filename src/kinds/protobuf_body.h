// Request bodies in Kubernetes' protobuf form, turned into JSON.
//
// Reads the envelope and, by tables of field numbers, the kinds that stock clients send:
// kube-scheduler (Binding, Lease, Event of both groups, DeleteOptions, PersistentVolume and claim,
// reviews) and kubectl's generators (Deployment, Job, Namespace, PriorityClass,
// PodDisruptionBudget, Pod, ...). Answers are JSON.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "kinds/api_error.h"
#include "kinds/json.h"

namespace berth::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// What is around an object in this form: the bytes 6b 38 73 00, its type, the object itself.
struct ProtobufEnvelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
  std::string_view encoding;
};

// Takes the envelope apart; what it returns points into `body`. Else what is wrong with it.
std::expected<ProtobufEnvelope, std::string> OpenProtobufEnvelope(std::string_view body);

// The object with kind and apiVersion. Empty strings and zeros, which Go's encoder writes out,
// count as unset, except where the field is optional in Go, or JSON has it in any case: replicas 0
// stays (protobuf_tables.h says which). Fields without a number in the tables are passed over.
// Malformed bytes and kinds without a table are BadRequest.
ApiResult<Json> DecodeProtobufBody(std::string_view body);

}  // namespace berth::apiserver
