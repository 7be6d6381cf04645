#include "daemon/client_trust.h"

#include <fmt/format.h>

#include <utility>

#include "config/json_value.h"

namespace berth::daemon {
namespace {

constexpr const char* kConfigMapPath =
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
constexpr const char* kConfigMap = "configmap kube-system/extension-apiserver-authentication";

// A list of texts, as JSON; what is absent is empty.
Status ReadNames(const config::JsonValue& data, const char* key, std::vector<std::string>& names) {
  const config::JsonValue* text = data.Find(key);
  names.clear();
  if (text == nullptr || text->text.empty()) return {};
  const auto list = config::ParseJson(text->text);
  if (!list || list->kind != config::JsonValue::Kind::kArray) {
    return Fail(fmt::format("{}: {} is not a list", kConfigMap, key));
  }
  for (const config::JsonValue& item : list->items) names.push_back(item.text);
  return {};
}

}  // namespace

ClientTrust::ClientTrust(AuthenticationFlags flags, FileReader read, ApiRequests* api)
    : flags_(std::move(flags)), read_(std::move(read)), api_(api) {
  Trust trust;
  const RequestHeaderFlags& headers = flags_.request_header;
  trust.proxy_names = headers.allowed_names;
  trust.username_headers = headers.username_headers;
  trust.uid_headers = headers.uid_headers;
  trust.group_headers = headers.group_headers;
  trust.extra_header_prefixes = headers.extra_header_prefixes;
  current_ = std::make_shared<const Trust>(std::move(trust));
}

std::shared_ptr<const Trust> ClientTrust::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ClientTrust::Publish(Trust trust) {
  const std::lock_guard lock(mutex_);
  current_ = std::make_shared<const Trust>(std::move(trust));
}

bool ClientTrust::NeedsConfigMap() const {
  if (api_ == nullptr || flags_.skip_lookup) return false;
  return flags_.client_ca_file.empty() || flags_.request_header.client_ca_file.empty();
}

Status ClientTrust::ReadFiles(Trust& trust) const {
  const auto read = [&](const std::string& file, auto& authorities) -> Status {
    if (file.empty()) return {};
    const auto text = read_(file);
    if (!text) return std::unexpected(text.error());
    auto parsed = net::ClientAuthorities::Parse(*text, file);
    if (!parsed) return std::unexpected(parsed.error());
    authorities = *std::move(parsed);
    return {};
  };
  if (auto status = read(flags_.client_ca_file, trust.clients); !status) {
    return Fail("unable to load client CA provider: " + status.error().message);
  }
  if (auto status = read(flags_.request_header.client_ca_file, trust.proxies); !status) {
    return Fail("unable to create request header authentication config: " + status.error().message);
  }
  return {};
}

Status ClientTrust::ReadConfigMap(const std::string& body, Trust& trust) const {
  const auto object = config::ParseJson(body);
  if (!object) return Fail(fmt::format("{}: {}", kConfigMap, object.error().message));
  const config::JsonValue nothing = config::JsonValue::Object();
  const config::JsonValue* found = object->Find("data");
  const config::JsonValue& data = found == nullptr ? nothing : *found;
  const auto read = [&](const char* key, auto& authorities) -> Status {
    const config::JsonValue* pem = data.Find(key);
    if (pem == nullptr || pem->text.empty()) return {};
    auto parsed = net::ClientAuthorities::Parse(pem->text, fmt::format("{}: {}", kConfigMap, key));
    if (!parsed) return std::unexpected(parsed.error());
    authorities = *std::move(parsed);
    return {};
  };
  if (flags_.client_ca_file.empty()) {
    if (auto status = read("client-ca-file", trust.clients); !status) return status;
  }
  if (!flags_.request_header.client_ca_file.empty()) return {};
  if (auto status = read("requestheader-client-ca-file", trust.proxies); !status) return status;
  // Where the cluster says whom to trust, it also says which headers count.
  if (trust.proxies == nullptr) return {};
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"requestheader-allowed-names", &trust.proxy_names},
      {"requestheader-username-headers", &trust.username_headers},
      {"requestheader-uid-headers", &trust.uid_headers},
      {"requestheader-group-headers", &trust.group_headers},
      {"requestheader-extra-headers-prefix", &trust.extra_header_prefixes},
  };
  for (const auto& [key, names] : lists) {
    if (auto status = ReadNames(data, key, *names); !status) return status;
  }
  return {};
}

Status ClientTrust::CheckFiles() const {
  Trust scratch;
  return ReadFiles(scratch);
}

void ClientTrust::Refresh(const std::function<void(Status)>& done) {
  Trust trust = *current();
  const Status files = ReadFiles(trust);
  Publish(trust);
  if (!files || !NeedsConfigMap()) return done(files);
  client::RestRequest request;
  request.path = kConfigMapPath;
  request.timeout = Duration::Seconds(10);
  api_->Send(std::move(request), [this, done](client::RestResult<client::RestAnswer> answer) {
    if (!answer) return done(Fail(fmt::format("{}: {}", kConfigMap, answer.error().message)));
    if (!answer->ok()) {
      return done(Fail(fmt::format("{}: the API server answered {}", kConfigMap, answer->status)));
    }
    Trust updated = *current();
    const Status status = ReadConfigMap(answer->body, updated);
    if (status) Publish(std::move(updated));
    done(status);
  });
}

}  // namespace berth::daemon
