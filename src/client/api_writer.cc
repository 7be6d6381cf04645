#include "client/api_writer.h"

#include <memory>
#include <utility>
#include <variant>

#include "base/check.h"
#include "client/api_writer_bodies.h"
#include "client/watch_events.h"

namespace berth::client {
namespace {

using Kind = WriteResult::Kind;

constexpr int kMaxLooks = 6;
constexpr Duration kFirstLookPause = Duration::Millis(200);

Kind KindOf(int status) {
  switch (status) {
    case 404:
      return Kind::kNotFound;
    case 409:
      return Kind::kConflict;
    case 504:
      return Kind::kTimeout;
    case 429:
    case 500:
    case 503:
      return Kind::kUnavailable;
    default:
      return Kind::kRejected;
  }
}

Kind KindOf(RestError::Kind kind) {
  return kind == RestError::Kind::kTimeout ? Kind::kTimeout : Kind::kUnavailable;
}

// The server may have done what was asked: it said nothing, or says that something went wrong on
// its side. A conflict may be with an earlier try of ours.
bool MayHaveHappened(const RestResult<RestAnswer>& answer) {
  if (answer) return answer->status == 409 || answer->status >= 500;
  return answer.error().kind == RestError::Kind::kBroken ||
         answer.error().kind == RestError::Kind::kTimeout;
}

RestRequest Request(std::string method, std::string path, std::string body = {},
                    std::string content_type = "application/json") {
  RestRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  if (!body.empty()) request.content_type = std::move(content_type);
  request.body = std::move(body);
  return request;
}

}  // namespace

WriteResult ResultOf(const RestResult<RestAnswer>& answer) {
  if (!answer) return {KindOf(answer.error().kind), answer.error().message};
  if (answer->ok())
    return {.kind = Kind::kOk,
            .message = {},
            .resource_version = ReadAnswered(answer->body).resource_version};
  return {KindOf(answer->status),
          ReadServerStatus(answer->status, answer->body, FormOf(answer->content_type)).message};
}

void ApiWriter::Carry(const ApiWrite& write, Done done) {
  std::visit([&](const auto& one) { Start(one, std::move(done)); }, write);
}

void ApiWriter::Send(RestRequest request, Done done) {
  requests_.Send(std::move(request),
                 lifeline_.Guard([done = std::move(done)](const RestResult<RestAnswer>& answer) {
                   done(ResultOf(answer));
                 }));
}

void ApiWriter::Start(const BindPod& bind, Done done) {
  requests_.Send(
      Request("POST", PodPath(bind.pod) + "/binding", BindingBody(bind)),
      lifeline_.Guard([this, bind, done = std::move(done)](const RestResult<RestAnswer>& answer) {
        WriteResult result = ResultOf(answer);
        if (result.ok() || !MayHaveHappened(answer)) return done(std::move(result));
        LookAtPod(bind, 1, std::move(result), done);
      }));
}

void ApiWriter::LookAtPod(const BindPod& bind, int tries, WriteResult failure, Done done) {
  auto look = [this, bind, tries, failure = std::move(failure),
               done = std::move(done)](const RestResult<RestAnswer>& answer) mutable {
    if (answer && answer->ok()) {
      const AnsweredObject pod = ReadAnswered(answer->body);
      const bool bound = pod.uid == bind.uid && pod.node_name == bind.node;
      return done(bound ? WriteResult{Kind::kOk, {}, pod.resource_version} : std::move(failure));
    }
    if (answer && answer->status == 404) return done(ResultOf(answer));
    if (tries >= kMaxLooks) return done(std::move(failure));
    const Duration pause{kFirstLookPause.nanos << (tries - 1)};
    timers_.After(pause, lifeline_.Guard([this, bind, tries, failure = std::move(failure),
                                          done = std::move(done)]() mutable {
      LookAtPod(bind, tries + 1, std::move(failure), std::move(done));
    }));
  };
  requests_.Send(Request("GET", PodPath(bind.pod)), lifeline_.Guard(std::move(look)));
}

// No uid is sent along, as kube-scheduler sends none.
void ApiWriter::Start(const PatchPodStatus& patch, Done done) {
  Send(Request("PATCH", PodPath(patch.pod) + "/status", StatusPatch(patch),
               "application/strategic-merge-patch+json"),
       std::move(done));
}

void ApiWriter::Start(const DeletePod& remove, Done done) {
  Send(Request("DELETE", PodPath(remove.pod), DeleteBody()), std::move(done));
}

void ApiWriter::Start(const UpdatePersistentVolume& update, Done done) {
  Replace(
      PathOf(*update.object),
      [volume = update.object](const std::string& current) {
        return ChangedVolume(current, *volume);
      },
      std::move(done));
}

void ApiWriter::Start(const UpdatePersistentVolumeClaim& update, Done done) {
  Replace(
      PathOf(*update.object),
      [claim = update.object](const std::string& current) { return ChangedClaim(current, *claim); },
      std::move(done));
}

void ApiWriter::Replace(const std::string& path, Change change, Done done) {
  requests_.Send(Request("GET", path),
                 lifeline_.Guard([this, path, change = std::move(change), done = std::move(done)](
                                     const RestResult<RestAnswer>& answer) mutable {
                   if (!answer || !answer->ok()) return done(ResultOf(answer));
                   auto body = change(answer->body);
                   if (!body) return done({Kind::kRejected, body.error().message});
                   Send(Request("PUT", path, *std::move(body)), std::move(done));
                 }));
}

void ApiWriter::Start(const RecordEvent&, Done) { CHECK(false); }

void ApiWriter::Start(const CallExtender&, Done) { CHECK(false); }

}  // namespace berth::client
