// Loads what extenders need for TLS: certificates and keys, given in the configuration or as files.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "scheduler/config/configuration.h"

namespace berth::runtime {

// Gives the content of a file. The error is the whole sentence: open PATH: no such file or
// directory.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// `tls` with the contents of its files as data; data that is given counts, and its file is then
// left alone. Fails if a file cannot be read, or if certificates are to be checked against a root
// and not to be checked at all.
Result<scheduler::framework::ExtenderTls> LoadExtenderTls(
    const scheduler::framework::ExtenderTls& tls, const FileReader& read);

// Fails, in kube-scheduler's words, if the TLS settings of an extender cannot be loaded.
Status CheckExtenderTls(const scheduler::config::Configuration& configuration,
                        const FileReader& read);

}  // namespace berth::runtime
