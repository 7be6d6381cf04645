// Loads what extenders need for TLS: certificates and keys, given in the configuration or as files.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "scheduler/config/configuration.h"

namespace berth::runtime {

// Returns the content of a file. The error is a whole sentence: open PATH: no such file or
// directory.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// Returns `tls` with the contents of its files as data. Data that is already set takes precedence,
// and its file is not read. Fails if a file cannot be read, or if `tls` has both a CA and
// `insecure`.
Result<scheduler::framework::ExtenderTls> LoadExtenderTls(
    const scheduler::framework::ExtenderTls& tls, const FileReader& read);

// Fails, with kube-scheduler's message, if the TLS settings of an extender cannot be loaded.
Status CheckExtenderTls(const scheduler::config::Configuration& configuration,
                        const FileReader& read);

}  // namespace berth::runtime
