#include "runtime/http_writer.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/timestamp.h"
#include "base/check.h"
#include "client/watch_events.h"
#include "runtime/write_result.h"

namespace berth::runtime {
namespace {

using api::AsObject;
using api::EnsureObject;
using api::Json;
using api::JsonObject;
using api::JsonWriter;
using api::ObjectAt;
using api::SetString;
using api::StringAt;

void Text(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  json.String(text);
}

void Condition(JsonWriter& json, const api::PodCondition& condition) {
  json.BeginObject();
  Text(json, "type", condition.type);
  Text(json, "status", condition.status);
  if (!condition.reason.empty()) Text(json, "reason", condition.reason);
  if (!condition.message.empty()) Text(json, "message", condition.message);
  json.Key("lastProbeTime");
  json.Null();
  if (condition.last_transition_time) {
    Text(json, "lastTransitionTime", api::FormatTime(*condition.last_transition_time));
  }
  if (condition.observed_generation) {
    json.Key("observedGeneration");
    json.Int(*condition.observed_generation);
  }
  json.EndObject();
}

void SetAnnotations(const api::ObjectMeta& wanted, JsonObject& metadata) {
  SetString(metadata, "resourceVersion", wanted.resource_version);
  if (wanted.annotations.empty()) return;
  JsonObject& annotations = EnsureObject(metadata, "annotations");
  for (const auto& [key, value] : wanted.annotations) SetString(annotations, key, value);
}

// Returns `current` as a document with the metadata of the object that the engine wants to write.
Result<Json> Open(std::string_view current, const api::ObjectMeta& wanted) {
  auto document = api::ParseJson(current);
  JsonObject* object = document ? AsObject(*document) : nullptr;
  if (object == nullptr) return Fail("the server's response is not an object");
  SetAnnotations(wanted, EnsureObject(*object, "metadata"));
  return *std::move(document);
}

}  // namespace

std::string PodPath(const api::ObjectKey& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", pod.namespace_, pod.name);
}

std::string PathOf(const api::PersistentVolume& volume) {
  return "/api/v1/persistentvolumes/" + volume.metadata.name;
}

std::string PathOf(const api::PersistentVolumeClaim& claim) {
  return fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", claim.metadata.namespace_,
                     claim.metadata.name);
}

std::string BindingBody(const scheduler::framework::BindPod& bind) {
  JsonWriter json;
  json.BeginObject();
  Text(json, "apiVersion", "v1");
  Text(json, "kind", "Binding");
  json.Key("metadata");
  json.BeginObject();
  Text(json, "name", bind.pod.name);
  Text(json, "namespace", bind.pod.namespace_);
  Text(json, "uid", bind.uid);
  json.EndObject();
  json.Key("target");
  json.BeginObject();
  Text(json, "kind", "Node");
  Text(json, "name", bind.node);
  json.EndObject();
  json.EndObject();
  return json.Take();
}

std::string StatusPatch(const scheduler::framework::PatchPodStatus& patch) {
  JsonWriter json;
  json.BeginObject();
  json.Key("status");
  json.BeginObject();
  if (patch.condition) {
    json.Key("$setElementOrder/conditions");
    json.BeginArray();
    json.BeginObject();
    Text(json, "type", patch.condition->type);
    json.EndObject();
    json.EndArray();
    json.Key("conditions");
    json.BeginArray();
    Condition(json, *patch.condition);
    json.EndArray();
  }
  if (patch.nominated_node_name) {
    json.Key("nominatedNodeName");
    if (patch.nominated_node_name->empty()) {
      json.Null();
    } else {
      json.String(*patch.nominated_node_name);
    }
  }
  json.EndObject();
  json.EndObject();
  return json.Take();
}

std::string DeleteBody() { return R"({"kind":"DeleteOptions","apiVersion":"v1"})"; }

Result<std::string> ChangedVolume(std::string_view current, const api::PersistentVolume& wanted) {
  auto document = Open(current, wanted.metadata);
  if (!document) return std::unexpected(document.error());
  if (const auto& claim = wanted.claim_ref) {
    JsonObject& ref = EnsureObject(EnsureObject(document->get_object(), "spec"), "claimRef");
    SetString(ref, "kind", claim->kind);
    SetString(ref, "apiVersion", claim->api_version);
    SetString(ref, "namespace", claim->namespace_);
    SetString(ref, "name", claim->name);
    SetString(ref, "uid", claim->uid);
    SetString(ref, "resourceVersion", claim->resource_version);
  }
  return api::ToJsonText(*document);
}

Result<std::string> ChangedClaim(std::string_view current,
                                 const api::PersistentVolumeClaim& wanted) {
  auto document = Open(current, wanted.metadata);
  if (!document) return std::unexpected(document.error());
  return api::ToJsonText(*document);
}

ResponseObject ReadResponseObject(std::string_view body) {
  const auto document = api::ParseJson(body);
  const JsonObject* object = document ? AsObject(*document) : nullptr;
  const JsonObject* metadata = ObjectAt(object, "metadata");
  return {.uid = std::string(StringAt(metadata, "uid")),
          .resource_version = std::string(StringAt(metadata, "resourceVersion")),
          .node_name = std::string(StringAt(ObjectAt(object, "spec"), "nodeName"))};
}

namespace {

using Kind = scheduler::framework::WriteResult::Kind;

constexpr int kMaxChecks = 6;
constexpr Duration kFirstCheckPause = Duration::Millis(200);

Kind KindOf(net::HttpError::Kind kind) {
  return kind == net::HttpError::Kind::kTimeout ? Kind::kTimeout : Kind::kUnavailable;
}

// Reports whether the request may have taken effect: there was no response, or the server failed
// internally. A conflict may be with an earlier attempt of this writer.
bool MayHaveHappened(const net::HttpResult<net::HttpResponse>& response) {
  if (response) return response->status == 409 || response->status >= 500;
  return response.error().kind == net::HttpError::Kind::kBroken ||
         response.error().kind == net::HttpError::Kind::kTimeout;
}

client::RestRequest GetRequest(std::string path) {
  client::RestRequest request;
  request.path = std::move(path);
  return request;
}

}  // namespace

scheduler::framework::WriteResult ToWriteResult(
    const net::HttpResult<net::HttpResponse>& response) {
  if (!response) return {KindOf(response.error().kind), response.error().message};
  if (response->ok())
    return {.kind = Kind::kOk,
            .message = {},
            .resource_version = ReadResponseObject(response->body).resource_version};
  return {ResultKindOf(response->status),
          client::ReadServerStatus(response->status, response->body,
                                   client::FormOf(response->content_type()))
              .message};
}

void HttpWriter::Execute(const scheduler::framework::ApiWrite& write, Done done) {
  std::visit([&](const auto& one) { Start(one, std::move(done)); }, write);
}

client::RestRequest HttpWriter::WriteRequest(std::string method, std::string path, std::string body,
                                             std::string content_type) const {
  client::RestRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.content_type = std::move(content_type);
  request.body = std::move(body);
  request.may_send = [&fence = fence_] { return fence.is_open(); };
  return request;
}

void HttpWriter::Send(client::RestRequest request, Done done) {
  client_.Send(std::move(request),
               callback_guard_.Guard(
                   [done = std::move(done)](const net::HttpResult<net::HttpResponse>& response) {
                     done(ToWriteResult(response));
                   }));
}

void HttpWriter::Start(const scheduler::framework::BindPod& bind, Done done) {
  client_.Send(WriteRequest("POST", PodPath(bind.pod) + "/binding", BindingBody(bind)),
               callback_guard_.Guard([this, bind, done = std::move(done)](
                                         const net::HttpResult<net::HttpResponse>& response) {
                 scheduler::framework::WriteResult result = ToWriteResult(response);
                 if (result.ok() || !MayHaveHappened(response)) return done(std::move(result));
                 CheckPod(bind, 1, std::move(result), done);
               }));
}

void HttpWriter::CheckPod(const scheduler::framework::BindPod& bind, int tries,
                          scheduler::framework::WriteResult failure, Done done) {
  auto look = [this, bind, tries, failure = std::move(failure),
               done = std::move(done)](const net::HttpResult<net::HttpResponse>& response) mutable {
    if (response && response->ok()) {
      const ResponseObject pod = ReadResponseObject(response->body);
      const bool bound = pod.uid == bind.uid && pod.node_name == bind.node;
      return done(bound ? scheduler::framework::WriteResult{Kind::kOk, {}, pod.resource_version}
                        : std::move(failure));
    }
    if (response && response->status == 404) return done(ToWriteResult(response));
    if (tries >= kMaxChecks) return done(std::move(failure));
    const Duration pause = kFirstCheckPause * (1 << (tries - 1));
    executor_.After(pause, callback_guard_.Guard([this, bind, tries, failure = std::move(failure),
                                                  done = std::move(done)]() mutable {
      CheckPod(bind, tries + 1, std::move(failure), std::move(done));
    }));
  };
  client_.Send(GetRequest(PodPath(bind.pod)), callback_guard_.Guard(std::move(look)));
}

// Sends no uid, as kube-scheduler sends none.
void HttpWriter::Start(const scheduler::framework::PatchPodStatus& patch, Done done) {
  Send(WriteRequest("PATCH", PodPath(patch.pod) + "/status", StatusPatch(patch),
                    "application/strategic-merge-patch+json"),
       std::move(done));
}

void HttpWriter::Start(const scheduler::framework::DeletePod& remove, Done done) {
  Send(WriteRequest("DELETE", PodPath(remove.pod), DeleteBody()), std::move(done));
}

void HttpWriter::Start(const scheduler::framework::UpdatePersistentVolume& update, Done done) {
  Replace(
      PathOf(*update.object),
      [volume = update.object](const std::string& current) {
        return ChangedVolume(current, *volume);
      },
      std::move(done));
}

void HttpWriter::Start(const scheduler::framework::UpdatePersistentVolumeClaim& update, Done done) {
  Replace(
      PathOf(*update.object),
      [claim = update.object](const std::string& current) { return ChangedClaim(current, *claim); },
      std::move(done));
}

void HttpWriter::Replace(const std::string& path, Change change, Done done) {
  client_.Send(
      GetRequest(path),
      callback_guard_.Guard([this, path, change = std::move(change), done = std::move(done)](
                                const net::HttpResult<net::HttpResponse>& response) mutable {
        if (!response || !response->ok()) return done(ToWriteResult(response));
        auto body = change(response->body);
        if (!body) return done({Kind::kRejected, body.error().message});
        Send(WriteRequest("PUT", path, *std::move(body)), std::move(done));
      }));
}

void HttpWriter::Start(const scheduler::framework::RecordEvent&, Done) { CHECK(false); }

void HttpWriter::Start(const scheduler::framework::CallExtender&, Done) { CHECK(false); }

}  // namespace berth::runtime
