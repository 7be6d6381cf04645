// Request bodies in Kubernetes' protobuf form, turned into JSON.
//
// Reads the envelope and, by tables of field numbers, the kinds that stock clients send:
// kube-scheduler (Binding, Lease, Event of both groups, DeleteOptions, PersistentVolume and claim,
// reviews) and kubectl's generators (Deployment, Job, Namespace, PriorityClass,
// PodDisruptionBudget, Pod, ...). Answers are JSON.
#pragma once

#include <string_view>

#include "kinds/api_error.h"
#include "kinds/json.h"

namespace berth::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// The object with kind and apiVersion. Empty strings and zeros, which Go's encoder writes out,
// count as unset, except where the field is optional in Go, or JSON has it in any case: replicas 0
// stays (protobuf_tables.h says which). Fields without a number in the tables are passed over.
// Malformed bytes and kinds without a table are BadRequest.
ApiResult<Json> DecodeProtobufBody(std::string_view body);

}  // namespace berth::apiserver
