// The event about the lease that candidates write: core/v1, as client-go's elections do.
#pragma once

#include <string>

#include "base/time.h"
#include "client/rest_client.h"
#include "config/configuration.h"

namespace berth::daemon {

// `message` is "<identity> became leader".
client::RestRequest ElectionEvent(const std::string& message,
                                  const config::Configuration& configuration, Instant now);

}  // namespace berth::daemon
