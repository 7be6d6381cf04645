#include "runtime/extender_tls.h"

#include <utility>

namespace berth::runtime {
namespace {

Status LoadFile(const std::string& path, scheduler::framework::Bytes& data,
                const FileReader& read) {
  if (!data.bytes.empty() || path.empty()) return {};
  auto content = read(path);
  if (!content) return std::unexpected(content.error());
  data.bytes = *std::move(content);
  return {};
}

}  // namespace

Result<scheduler::framework::ExtenderTls> LoadExtenderTls(
    const scheduler::framework::ExtenderTls& tls, const FileReader& read) {
  const bool has_root = !tls.ca_file.empty() || !tls.ca_data.bytes.empty();
  if (has_root && tls.insecure) {
    return Fail("specifying a root certificates file with the insecure flag is not allowed");
  }
  scheduler::framework::ExtenderTls loaded = tls;
  Status status = LoadFile(tls.ca_file, loaded.ca_data, read);
  if (status) status = LoadFile(tls.cert_file, loaded.cert_data, read);
  if (status) status = LoadFile(tls.key_file, loaded.key_data, read);
  if (!status) return std::unexpected(status.error());
  return loaded;
}

Status CheckExtenderTls(const scheduler::config::Configuration& configuration,
                        const FileReader& read) {
  for (const scheduler::framework::ExtenderConfig& extender : configuration.extenders) {
    if (!extender.tls) continue;
    const auto loaded = LoadExtenderTls(*extender.tls, read);
    if (!loaded) return Fail("couldn't build extenders: " + loaded.error().message);
  }
  return {};
}

}  // namespace berth::runtime
