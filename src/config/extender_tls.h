// Loads what extenders need for TLS: certificates and keys, given in the configuration or as files.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "config/configuration.h"

namespace berth::config {

// Gives the content of a file. The error is the whole sentence: open PATH: no such file or
// directory.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// `tls` with the contents of its files as data; data that is given counts, and its file is then
// left alone. Fails if a file cannot be read, or if certificates are to be checked against a root
// and not to be checked at all.
Result<ExtenderTls> LoadTls(const ExtenderTls& tls, const FileReader& read);

// Fails, in kube-scheduler's words, if the TLS settings of an extender cannot be loaded.
Status CheckExtenderTls(const Configuration& configuration, const FileReader& read);

}  // namespace berth::config
