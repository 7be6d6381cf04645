// What credential plugins are told and what they print: ExecCredential, of both versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"
#include "client/exec_plugin.h"

namespace berth::client {

// The value of KUBERNETES_EXEC_INFO. `cluster` is left out if it is null.
std::string ExecInfo(const ExecPlugin& plugin, const ExecCluster* cluster);

struct ExecCredential {
  Credential credential;
  std::optional<Instant> expires;  // None: good until it is refused.
};

// Reads what a plugin printed. Errors show no secrets.
Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version);

}  // namespace berth::client
