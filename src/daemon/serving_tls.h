// Derives the TLS options of the HTTPS port from the flags.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "daemon/flags.h"
#include "net/server_tls.h"

namespace berth::daemon {

// Returns versions, cipher suites and curves, without certificates. The errors are
// kube-scheduler's.
Result<net::ServerTlsOptions> TlsChoices(const ServingFlags& flags);

// Returns the same with the certificates: named by flags, found in --cert-dir, or generated and
// written there. Without any of these flags they are generated at every start. `note` is called
// with a message about generated ones.
Result<net::ServerTlsOptions> ServingTls(const ServingFlags& flags,
                                         const std::function<void(std::string)>& note);

}  // namespace berth::daemon
