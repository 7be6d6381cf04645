// ApiWriter carries out what the engine asks for as requests to an API server, the same that
// kube-scheduler would make, and says how each ended.
//
// Each write is tried once: the engine knows which are worth another try (engine/status_writer.h).
// Lives on the thread that the callbacks of its requests and timers come on.
#pragma once

#include <functional>

#include "client/lifeline.h"
#include "client/requests.h"
#include "client/timers.h"
#include "framework/writes.h"

namespace berth::client {

// How a request ended, in the engine's words.
WriteResult ResultOf(const RestResult<RestAnswer>& answer);

class ApiWriter {
 public:
  using Done = std::function<void(WriteResult)>;

  // `requests` and `timers` must outlive it.
  ApiWriter(Requests& requests, Timers& timers) : requests_(requests), timers_(timers) {}
  ApiWriter(const ApiWriter&) = delete;
  ApiWriter& operator=(const ApiWriter&) = delete;

  // Calls `done` once; never, if the writer goes before. Not for events (EventWriter) and calls of
  // extenders (net/extender_caller.h).
  void Carry(const ApiWrite& write, Done done);

 private:
  void Start(const BindPod& bind, Done done);
  void Start(const PatchPodStatus& patch, Done done);
  void Start(const DeletePod& remove, Done done);
  void Start(const UpdatePersistentVolume& update, Done done);
  void Start(const UpdatePersistentVolumeClaim& update, Done done);
  void Start(const RecordEvent& event, Done done);
  void Start(const CallExtender& call, Done done);

  void Send(RestRequest request, Done done);
  // DIFFERS: the bind ended in `failure`, but may have been made: asks the pod.
  void LookAtPod(const BindPod& bind, int tries, WriteResult failure, Done done);
  // Fetches the object at `path`, and writes what `change` makes of it.
  using Change = std::function<Result<std::string>(const std::string& current)>;
  void Replace(const std::string& path, Change change, Done done);

  Requests& requests_;
  Timers& timers_;
  Lifeline lifeline_;
};

}  // namespace berth::client
