// Single values of protobuf messages, as JSON has them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/wire_reader.h"

namespace berth::api::protobuf {

// The value of `field`, whose type is not kMessage. Nothing if it is the type's zero (empty
// string, 0, false, no time) and `keep_zero` is not set; an unset time is nothing in any case.
std::expected<std::optional<Json>, std::string> DecodeValueToJson(const WireField& field,
                                                                  FieldType type, bool keep_zero);

// The whole seconds of a Time message; nothing if it is unset.
std::expected<std::optional<int64_t>, std::string> DecodeSeconds(std::string_view bytes);

// Checks that a string is UTF-8 and returns it.
std::expected<std::string_view, std::string> CheckedText(std::string_view bytes);

// Request bodies in Kubernetes' protobuf form, turned into JSON.
//
// Reads the envelope and, by tables of field numbers, the kinds that stock clients send:
// kube-scheduler (Binding, Lease, Event of both groups, DeleteOptions, PersistentVolume and claim,
// reviews) and kubectl's generators (Deployment, Job, Namespace, PriorityClass,
// PodDisruptionBudget, Pod, ...). Answers are JSON.
inline constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";

// What is around an object in this form: the bytes 6b 38 73 00, its type, the object itself.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
  std::string_view encoding;
};

// Takes the envelope apart; what it returns points into `body`. Else what is wrong with it.
std::expected<Envelope, std::string> OpenEnvelope(std::string_view body);

// The object with kind and apiVersion. Empty strings and zeros, which Go's encoder writes out,
// count as unset, except where the field is optional in Go, or JSON has it in any case: replicas 0
// stays (protobuf_tables.h says which). Fields without a number in the tables are passed over.
// The error says what is wrong with malformed bytes, or that the kind has no table.
std::expected<Json, std::string> DecodeToJson(std::string_view body);

}  // namespace berth::api::protobuf
