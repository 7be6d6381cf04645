// What is sent to carry out the engine's writes: bodies byte for byte as kube-scheduler would mean
// them, in JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/rest_client.h"
#include "client/timers.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime {

// "/api/v1/namespaces/<namespace>/pods/<name>"
std::string PodPath(const api::ObjectKey& pod);
std::string PathOf(const api::PersistentVolume& volume);
std::string PathOf(const api::PersistentVolumeClaim& claim);

std::string BindingBody(const scheduler::framework::BindPod& bind);
// A strategic merge patch of the status.
std::string StatusPatch(const scheduler::framework::PatchPodStatus& patch);
std::string DeleteBody();

// `current`, as the server has it, with the change that the engine wants. It names the version
// that the engine saw, so that another's change in between is a conflict.
Result<std::string> ChangedVolume(std::string_view current, const api::PersistentVolume& wanted);
Result<std::string> ChangedClaim(std::string_view current,
                                 const api::PersistentVolumeClaim& wanted);

// What a written or fetched object says of itself; empty where it does not.
struct ResponseObject {
  std::string uid;
  std::string resource_version;
  std::string node_name;  // Of a pod.
};
ResponseObject ReadResponseObject(std::string_view body);

// HttpWriter carries out what the engine asks for as requests to an API server, the same that
// kube-scheduler would make, and says how each ended.
//
// Each write is tried once: the engine knows which are worth another try (engine/status_writer.h).
// Lives on the thread that the callbacks of its requests and timers come on.
// How a request ended, in the engine's words.
scheduler::framework::WriteResult ResultOf(const client::RestResult<client::RestResponse>& answer);

class HttpWriter {
 public:
  using Done = std::function<void(scheduler::framework::WriteResult)>;

  // `requests` and `timers` must outlive it.
  HttpWriter(client::Requests& requests, client::Timers& timers)
      : requests_(requests), timers_(timers) {}
  HttpWriter(const HttpWriter&) = delete;
  HttpWriter& operator=(const HttpWriter&) = delete;

  // Calls `done` once; never, if the writer goes before. Not for events (EventWriter) and calls of
  // extenders (net/extender_caller.h).
  void Execute(const scheduler::framework::ApiWrite& write, Done done);

 private:
  void Start(const scheduler::framework::BindPod& bind, Done done);
  void Start(const scheduler::framework::PatchPodStatus& patch, Done done);
  void Start(const scheduler::framework::DeletePod& remove, Done done);
  void Start(const scheduler::framework::UpdatePersistentVolume& update, Done done);
  void Start(const scheduler::framework::UpdatePersistentVolumeClaim& update, Done done);
  void Start(const scheduler::framework::RecordEvent& event, Done done);
  void Start(const scheduler::framework::CallExtender& call, Done done);

  void Send(client::RestRequest request, Done done);
  // DIFFERS: the bind ended in `failure`, but may have been made: asks the pod.
  void CheckPod(const scheduler::framework::BindPod& bind, int tries,
                scheduler::framework::WriteResult failure, Done done);
  // Fetches the object at `path`, and writes what `change` makes of it.
  using Change = std::function<Result<std::string>(const std::string& current)>;
  void Replace(const std::string& path, Change change, Done done);

  client::Requests& requests_;
  client::Timers& timers_;
  client::CallbackGuard callback_guard_;
};

}  // namespace berth::runtime
