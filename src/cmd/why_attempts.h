// What the scheduler of a cluster remembers about a pod, asked over its API /berth/v1: for
// `berth why`.
#pragma once

#include <span>
#include <string>

#include "api/json/json.h"
#include "api/meta.h"
#include "api/object.h"
#include "base/result.h"
#include "cmd/live_cluster.h"
#include "cmd/why_times.h"

namespace berth::cmd {

// How the scheduler is reached.
struct SchedulerAccess {
  std::string address;                     // "https://10.0.0.7:10259"; empty: see AskScheduler.
  std::string namespace_ = "kube-system";  // Of its pods.
  std::string ca_file;                     // The authorities of its certificate.
  std::string server_name;                 // In its certificate; empty: the host of the address.
  bool insecure = false;  // Accepts any certificate, and sends tokens all the same.
};

// Returns {"attempts": [...], "queue": "...", "nextAttempt": "..."}: items of AttemptList, newest
// first, and where the pod is in the queue, if it is there. The scheduler is asked with the
// credentials of the cluster's kubeconfig.
//
// Without an address the API server is asked, which berth up adds the API to, and then the
// berth-schedulers among `scheduler_pods`, leaders first, through port-forwards. Without
// authorities to verify its certificate with, a pod gets to see no token: only a client certificate
// is used, which is of no use to the receiver without its key.
Result<api::JsonObject> AskScheduler(const SchedulerAccess& access, LiveCluster& cluster,
                                     std::span<const api::Ref<api::Pod>> scheduler_pods,
                                     const api::ObjectKey& pod);

// Returns it as text: the queue, and a line or two for each attempt. Attempts that end alike one
// after the other are counted.
std::string HistoryText(const api::JsonObject& history, const TimeFormat& times);

}  // namespace berth::cmd
