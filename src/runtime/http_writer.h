// HttpWriter executes the engine's writes as requests to an API server, the same that
// kube-scheduler makes, and reports their results.
//
// Each write is tried once: the engine decides which to retry. Runs on one executor's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/rest_client.h"
#include "net/executor.h"
#include "runtime/write_fence.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime {

// Returns the result of a request, for the engine.
scheduler::framework::WriteResult ToWriteResult(const net::HttpResult<net::HttpResponse>& response);

class HttpWriter {
 public:
  using Done = std::function<void(scheduler::framework::WriteResult)>;

  // All references must outlive the writer and its requests; the client calls back on the executor.
  HttpWriter(client::RestClient& client, net::Executor& executor, const WriteFence& fence)
      : client_(client), executor_(executor), fence_(fence) {}
  HttpWriter(const HttpWriter&) = delete;
  HttpWriter& operator=(const HttpWriter&) = delete;

  // Calls `done` once, or never if the writer is destroyed before. Writes that the fence stops fail
  // as kUnavailable; reads are not stopped. Not for events (EventWriter) and
  // extender calls (ExtenderCalls).
  void Execute(const scheduler::framework::ApiWrite& write, Done done);

 private:
  void Start(const scheduler::framework::BindPod& bind, Done done);
  void Start(const scheduler::framework::PatchPodStatus& patch, Done done);
  void Start(const scheduler::framework::PatchPodGroupStatus& patch, Done done);
  void Start(const scheduler::framework::DeletePod& remove, Done done);
  void Start(const scheduler::framework::UpdatePersistentVolume& update, Done done);
  void Start(const scheduler::framework::UpdatePersistentVolumeClaim& update, Done done);
  void Start(const scheduler::framework::CreateResourceClaim& create, Done done);
  void Start(const scheduler::framework::GetResourceClaim& get, Done done);
  void Start(const scheduler::framework::UpdateResourceClaim& update, Done done);
  void Start(const scheduler::framework::UpdateResourceClaimStatus& update, Done done);
  void Start(const scheduler::framework::UnreserveResourceClaim& unreserve, Done done);
  void Start(const scheduler::framework::DeleteResourceClaim& remove, Done done);
  void Start(const scheduler::framework::RecordEvent& event, Done done);
  void Start(const scheduler::framework::CallExtender& call, Done done);

  // Returns a request that the fence may stop.
  client::RestRequest WriteRequest(std::string method, std::string path, std::string body,
                                   std::string content_type = "application/json") const;
  void Send(client::RestRequest request, Done done);
  // The same, for a request whose response is a claim.
  void SendForClaim(client::RestRequest request, Done done);
  void WriteClaim(std::string method, std::string path, Result<std::string> body, Done done);
  // DIFFERS: reads the pod after a bind that ended in `failure` but may have taken effect.
  void CheckPod(const scheduler::framework::BindPod& bind, int tries,
                scheduler::framework::WriteResult failure, Done done);
  // Reads the object at `path`, applies `change` and writes it.
  using Change = std::function<Result<std::string>(const std::string& current)>;
  void Replace(const std::string& path, Change change, Done done);

  client::RestClient& client_;
  net::Executor& executor_;
  const WriteFence& fence_;
  // Of PodGroups; the second one is Kubernetes v1.37's.
  std::string_view group_version_ = "v1alpha2", other_group_version_ = "v1beta1";
  net::CallbackGuard callback_guard_;
};

}  // namespace berth::runtime
