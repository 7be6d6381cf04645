#include "config/extender_tls.h"

#include <utility>

namespace berth::config {
namespace {

Status LoadFile(const std::string& path, Bytes& data, const FileReader& read) {
  if (!data.bytes.empty() || path.empty()) return {};
  auto content = read(path);
  if (!content) return std::unexpected(content.error());
  data.bytes = *std::move(content);
  return {};
}

}  // namespace

Result<ExtenderTls> LoadTls(const ExtenderTls& tls, const FileReader& read) {
  const bool has_root = !tls.ca_file.empty() || !tls.ca_data.bytes.empty();
  if (has_root && tls.insecure) {
    return Fail("specifying a root certificates file with the insecure flag is not allowed");
  }
  ExtenderTls loaded = tls;
  Status status = LoadFile(tls.ca_file, loaded.ca_data, read);
  if (status) status = LoadFile(tls.cert_file, loaded.cert_data, read);
  if (status) status = LoadFile(tls.key_file, loaded.key_data, read);
  if (!status) return std::unexpected(status.error());
  return loaded;
}

Status CheckExtenderTls(const Configuration& configuration, const FileReader& read) {
  for (const ExtenderConfig& extender : configuration.extenders) {
    if (!extender.tls) continue;
    const auto loaded = LoadTls(*extender.tls, read);
    if (!loaded) return Fail("couldn't build extenders: " + loaded.error().message);
  }
  return {};
}

}  // namespace berth::config
