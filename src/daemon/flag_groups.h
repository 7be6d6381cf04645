// The groups of berth-scheduler's flags; their variables must outlive the FlagSet.
#pragma once

#include "daemon/flags.h"
#include "flags/flag_set.h"

namespace berth::daemon {

void AddServingFlags(flags::FlagSet& flags, ServingFlags& serving);
void AddAuthenticationFlags(flags::FlagSet& flags, AuthenticationFlags& authentication);
void AddAuthorizationFlags(flags::FlagSet& flags, AuthorizationFlags& authorization);
void AddDeprecatedFlags(flags::FlagSet& flags, DeprecatedFlags& deprecated);
void AddLeaderElectionFlags(flags::FlagSet& flags, scheduler::config::LeaderElection& election);
void AddFeatureFlags(flags::FlagSet& flags, FeatureFlags& features);
void AddMetricsFlags(flags::FlagSet& flags, MetricsFlags& metrics);
void AddLogFlags(flags::FlagSet& flags, LogFlags& logs);

}  // namespace berth::daemon
