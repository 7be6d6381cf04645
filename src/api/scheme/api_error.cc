#include "api/scheme/api_error.h"

#include <fmt/format.h>

#include <set>

#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "api/status_reason.h"

namespace berth::api::scheme {
namespace {

// Returns an error about one object; its details name the resource.
ApiError AboutObject(int code, const Kind& kind, std::string_view name, std::string message) {
  ApiError error = MakeError(code, std::move(message));
  error.name = name;
  error.group = kind.group;
  error.kind = kind.resource;
  return error;
}

// Writes the field if the value is not empty.
void WriteField(JsonWriter& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.Key(key);
  out.String(value);
}

void WriteCauses(JsonWriter& out, const std::vector<ApiError::Cause>& causes) {
  if (causes.empty()) return;
  out.Key("causes");
  out.BeginArray();
  for (const ApiError::Cause& cause : causes) {
    out.BeginObject();
    WriteField(out, "reason", cause.reason);
    WriteField(out, "message", cause.message);
    WriteField(out, "field", cause.field);
    out.EndObject();
  }
  out.EndArray();
}

void WriteDetails(JsonWriter& out, const ApiError& error) {
  const size_t before = out.mark();
  out.Key("details");
  out.BeginObject();
  WriteField(out, "name", error.name);
  WriteField(out, "group", error.group);
  WriteField(out, "kind", error.kind);
  WriteField(out, "uid", error.uid);
  WriteCauses(out, error.causes);
  if (error.retry_after_seconds != 0) {
    out.Key("retryAfterSeconds");
    out.Int(error.retry_after_seconds);
  }
  // A NotFound without an object has empty details: clients distinguish the two by them.
  const bool empty = out.at_start();
  out.EndObject();
  if (empty && error.reason != "NotFound") out.Rewind(before);
}

// Joins causes like upstream's ErrorList: one as it is, several without repeats in brackets.
std::string JoinCauses(const std::vector<ApiError::Cause>& causes) {
  std::vector<std::string> sentences;
  std::set<std::string> seen;
  for (const ApiError::Cause& cause : causes) {
    std::string sentence = cause.ToString();
    if (seen.insert(sentence).second) sentences.push_back(std::move(sentence));
  }
  if (sentences.size() == 1) return sentences.front();
  return fmt::format("[{}]", fmt::join(sentences, ", "));
}

}  // namespace

ApiError MakeError(int code, std::string message) {
  ApiError error;
  error.code = code;
  error.reason = ReasonForCode(code);
  error.message = std::move(message);
  return error;
}

std::string ToStatusJson(const ApiError& error) {
  JsonWriter out;
  out.BeginObject();
  WriteField(out, "kind", "Status");
  WriteField(out, "apiVersion", "v1");
  out.Key("metadata");
  out.BeginObject();
  out.EndObject();
  WriteField(out, "status", "Failure");
  WriteField(out, "message", error.message);
  WriteField(out, "reason", error.reason);
  WriteDetails(out, error);
  out.Key("code");
  out.Int(error.code);
  out.EndObject();
  return out.Take();
}

ApiError NotFound(const Kind& kind, std::string_view name) {
  return AboutObject(404, kind, name,
                     fmt::format("{} \"{}\" not found", kind.group_resource(), name));
}

ApiError AlreadyExists(const Kind& kind, std::string_view name) {
  ApiError error = AboutObject(
      409, kind, name, fmt::format("{} \"{}\" already exists", kind.group_resource(), name));
  error.reason = "AlreadyExists";
  return error;
}

ApiError Conflict(const Kind& kind, std::string_view name, std::string_view why) {
  return AboutObject(409, kind, name,
                     fmt::format("Operation cannot be fulfilled on {} \"{}\": {}",
                                 kind.group_resource(), name, why));
}

ApiError Modified(const Kind& kind, std::string_view name) {
  return Conflict(kind, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

ApiError Forbidden(const Kind& kind, std::string_view name, std::string_view why) {
  const std::string what =
      name.empty() ? kind.group_resource() : fmt::format("{} \"{}\"", kind.group_resource(), name);
  return AboutObject(403, kind, name, fmt::format("{} is forbidden: {}", what, why));
}

ApiError Invalid(const Kind& kind, std::string_view name, std::vector<ApiError::Cause> causes) {
  std::string what(kind.kind);
  if (!kind.group.empty()) what += "." + std::string(kind.group);
  std::string message = fmt::format("{} \"{}\" is invalid", what, name);
  if (!causes.empty()) message += ": " + JoinCauses(causes);
  ApiError error = AboutObject(422, kind, name, std::move(message));
  error.kind = kind.kind;
  error.causes = std::move(causes);
  return error;
}

ApiError BadRequest(std::string message) { return MakeError(400, std::move(message)); }

ApiError Unauthorized() { return MakeError(401, "Unauthorized"); }

ApiError UnknownResource() {
  return MakeError(404, "the server could not find the requested resource");
}

ApiError Expired(std::string message) { return MakeError(410, std::move(message)); }

ApiError UnsupportedMediaType(std::string_view given, std::string_view supported) {
  std::string message = fmt::format(
      "the body of the request was in an unknown format - accepted media types include: {}",
      supported);
  if (!given.empty()) message += fmt::format(" (given: {})", given);
  return MakeError(415, std::move(message));
}

ApiError NotAcceptable(std::string_view supported) {
  return MakeError(406, fmt::format("only the following media types are accepted: {}", supported));
}

ApiError MethodNotAllowed(std::string_view method) {
  std::string message = "the server does not allow this method on the requested resource";
  if (!method.empty()) message += fmt::format(": {}", method);
  return MakeError(405, std::move(message));
}

ApiError TooManyRequests(std::string message) { return MakeError(429, std::move(message)); }

ApiError InternalError(std::string message) {
  ApiError error = MakeError(500, "Internal error occurred: " + message);
  error.causes.push_back({"", std::move(message), ""});
  return error;
}

}  // namespace berth::api::scheme
