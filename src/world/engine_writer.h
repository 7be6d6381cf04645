// EngineWriter carries out what the engine asks for on the API, as kube-scheduler's requests would
// be, and says how each ended.
//
// Writes are made at once, on the caller's thread.
#pragma once

#include "apiserver/api.h"
#include "framework/writes.h"

namespace berth::world {

class EngineWriter {
 public:
  // `api` must outlive the writer.
  explicit EngineWriter(apiserver::Api& api);

  // All that is a write to the API but events, which are the EventRecorder's.
  WriteResult Carry(const ApiWrite& write);

 private:
  WriteResult Do(const BindPod& bind);
  WriteResult Do(const PatchPodStatus& patch);
  WriteResult Do(const DeletePod& remove);
  WriteResult Do(const UpdatePersistentVolume& update);
  WriteResult Do(const UpdatePersistentVolumeClaim& update);
  WriteResult Do(const RecordEvent& event);
  WriteResult Do(const CallExtender& call);

  apiserver::Api& api_;
  const apiserver::Kind& pods_;
  const apiserver::Kind& volumes_;
  const apiserver::Kind& claims_;
};

}  // namespace berth::world
