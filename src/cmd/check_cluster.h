// What `berth check` asks a cluster, with the credentials of the scheduler. Sends GET requests, and
// reviews of its own access, which change nothing.
#pragma once

#include "client/rest_client.h"
#include "cmd/check_report.h"
#include "features/feature_gates.h"
#include "scheduler/config/configuration.h"

namespace berth::cmd {

// Checks that the server can be reached, and its version. Returns false if it cannot be reached.
bool CheckServer(client::RestClient& client, CheckReport& report);

// Checks the permission for every request that berth-scheduler sends with that configuration.
void CheckPermissions(client::RestClient& client,
                      const scheduler::config::Configuration& configuration,
                      const features::FeatureGates& gates, CheckReport& report);

// Checks who has the lease for which the scheduler would wait.
void CheckLease(client::RestClient& client, const scheduler::config::LeaderElection& election,
                CheckReport& report);

// Lists every watched resource: a server may lack those of feature gates.
void CheckResources(client::RestClient& client,
                    const scheduler::config::Configuration& configuration, CheckReport& report);

}  // namespace berth::cmd
