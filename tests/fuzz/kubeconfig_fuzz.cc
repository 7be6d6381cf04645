// Arbitrary bytes as a kubeconfig and as the output of a credential plugin. Errors have a message,
// and the plugin's credentials can be sent in a header.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "client/escaping.h"
#include "client/exec_credentials.h"
#include "client/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using berth::client::kExecV1;
  using berth::client::kExecV1Beta1;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = berth::client::ParseKubeconfig(text, "fuzz");
  if (config) {
    for (const berth::client::KubeUser& user : config->users) {
      if (!user.exec) continue;
      CHECK(!user.exec->command.empty());
      CHECK(user.exec->api_version == kExecV1 || user.exec->api_version == kExecV1Beta1);
      CHECK(!berth::client::ExecInfo(*user.exec, nullptr).empty());
    }
  } else {
    CHECK(config.error().message.starts_with("fuzz: "));
  }
  const auto credential = berth::client::ParseExecCredential(text, kExecV1);
  if (credential) {
    CHECK(berth::client::FitsInHeader(credential->credential.bearer_token));
    CHECK(credential->credential.certificate.empty() == credential->credential.key.empty());
  } else {
    CHECK(!credential.error().message.empty());
  }
  return 0;
}
