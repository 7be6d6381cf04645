// What the HTTPS port shows and speaks, from the flags.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "daemon/flags.h"
#include "net/server_tls.h"

namespace berth::daemon {

// Versions, cipher suites and curves; no certificates yet. The errors are kube-scheduler's.
Result<net::ServerTlsOptions> TlsChoices(const ServingFlags& flags);

// The same with the certificates that the flags name: given, found in --cert-dir, or made and put
// there. Without either they are made anew each time. `note` is told what was made.
Result<net::ServerTlsOptions> ServingTls(const ServingFlags& flags,
                                         const std::function<void(std::string)>& note);

}  // namespace berth::daemon
