#include "runtime/http_writer.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "api/json/claim_document.h"
#include "api/json/decode.h"
#include "api/undecodable_fields.h"
#include "base/check.h"
#include "client/watch_events.h"
#include "runtime/write_bodies.h"
#include "runtime/write_result.h"

namespace berth::runtime {
namespace {

using Kind = scheduler::framework::WriteResult::Kind;

constexpr int kMaxChecks = 6;
constexpr Duration kFirstCheckPause = Duration::Millis(200);

Kind KindOf(net::HttpError::Kind kind) {
  return kind == net::HttpError::Kind::kTimeout ? Kind::kTimeout : Kind::kUnavailable;
}

// Reports whether the request may have taken effect: there was no response, or the server failed
// internally.
bool MayHaveHappened(const net::HttpResult<net::HttpResponse>& response) {
  if (response) return response->status >= 500;
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
  scheduler::framework::WriteResult result;
  if (!response) {
    result.kind = KindOf(response.error().kind);
    result.message = response.error().message;
  } else if (response->ok()) {
    result.resource_version = ReadResponseObject(response->body).resource_version;
    return result;
  } else {
    result.kind = ResultKindOf(response->status);
    result.message = client::ReadServerStatus(response->status, response->body,
                                              client::FormOf(response->content_type()))
                         .message;
  }
  result.may_have_happened = MayHaveHappened(response);
  return result;
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
                 // A conflict may be with an earlier attempt of this writer.
                 const bool unknown = result.may_have_happened || result.kind == Kind::kConflict;
                 if (!unknown) return done(std::move(result));
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

void HttpWriter::Start(const scheduler::framework::PatchPodGroupStatus& patch, Done done) {
  const auto send = [this, patch](std::string_view version, auto then) {
    client_.Send(
        WriteRequest("PATCH", PodGroupPath(version, patch.group) + "/status",
                     StatusPatch(patch, version), "application/strategic-merge-patch+json"),
        callback_guard_.Guard(std::move(then)));
  };
  using Response = net::HttpResult<net::HttpResponse>;
  send(group_version_, [this, send, done = std::move(done)](const Response& response) {
    if (!response || response->status != 404) return done(ToWriteResult(response));
    // The group is gone, or the server has it only in the other version.
    send(other_group_version_, [this, done](const Response& other) {
      if (other && other->ok()) std::swap(group_version_, other_group_version_);
      done(ToWriteResult(other));
    });
  });
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

// --- ResourceClaims ---

namespace {

// Returns the result of a request whose response is a claim.
scheduler::framework::WriteResult ToClaimResult(
    const net::HttpResult<net::HttpResponse>& response) {
  if (!response || !response->ok()) return ToWriteResult(response);
  api::UndecodableFields undecodable;
  auto claim = api::DecodeJsonAs<api::ResourceClaim>(response->body, &undecodable);
  if (!claim) return {Kind::kRejected, "the server's response: " + claim.error().message};
  scheduler::framework::WriteResult result;
  result.resource_version = (*claim)->metadata.resource_version;
  result.claim = *std::move(claim);
  return result;
}

}  // namespace

void HttpWriter::SendForClaim(client::RestRequest request, Done done) {
  client_.Send(std::move(request),
               callback_guard_.Guard(
                   [done = std::move(done)](const net::HttpResult<net::HttpResponse>& response) {
                     done(ToClaimResult(response));
                   }));
}

void HttpWriter::WriteClaim(std::string method, std::string path, Result<std::string> body,
                            Done done) {
  if (!body) return done({Kind::kRejected, body.error().message});
  SendForClaim(WriteRequest(std::move(method), std::move(path), *std::move(body)), std::move(done));
}

void HttpWriter::Start(const scheduler::framework::CreateResourceClaim& create, Done done) {
  WriteClaim("POST", ClaimsPath(create.object->metadata.namespace_),
             api::NewClaimDocument(*create.object, create.generate_name), std::move(done));
}

void HttpWriter::Start(const scheduler::framework::GetResourceClaim& get, Done done) {
  SendForClaim(GetRequest(ClaimPath(get.claim)), std::move(done));
}

void HttpWriter::Start(const scheduler::framework::UpdateResourceClaim& update, Done done) {
  WriteClaim("PUT", PathOf(*update.object), api::ClaimDocument(*update.object), std::move(done));
}

void HttpWriter::Start(const scheduler::framework::UpdateResourceClaimStatus& update, Done done) {
  WriteClaim("PUT", PathOf(*update.object) + "/status", api::ClaimDocument(*update.object),
             std::move(done));
}

void HttpWriter::Start(const scheduler::framework::UnreserveResourceClaim& unreserve, Done done) {
  SendForClaim(WriteRequest("PATCH", ClaimPath(unreserve.claim) + "/status",
                            api::UnreservePatch(unreserve.uid, unreserve.pod_uid),
                            "application/strategic-merge-patch+json"),
               std::move(done));
}

void HttpWriter::Start(const scheduler::framework::DeleteResourceClaim& remove, Done done) {
  Send(WriteRequest("DELETE", ClaimPath(remove.claim), DeleteBody()), std::move(done));
}

// --- not for this writer ---

// NOLINTBEGIN(performance-unnecessary-value-param)
void HttpWriter::Start(const scheduler::framework::RecordEvent&, Done) { CHECK(false); }

void HttpWriter::Start(const scheduler::framework::CallExtender&, Done) { CHECK(false); }
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace berth::runtime
