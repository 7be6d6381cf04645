#include "cmd/live_cluster.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "api/scheme/scheme.h"
#include "client/escaping.h"
#include "client/load_config.h"
#include "client/watch_events.h"
#include "runtime/watched_resources.h"

namespace berth::cmd {
namespace {

// Objects per request, as client-go's pager asks for.
constexpr int kPageSize = 500;

// Appends the objects of all pages of one collection.
Status ListAll(client::RestClient& client, const std::string& path, std::string_view field_selector,
               const client::ObjectCodec& codec, std::vector<api::Object>& objects,
               std::vector<std::string>& notes) {
  std::string selector;
  if (!field_selector.empty()) {
    selector = fmt::format("&fieldSelector={}", client::QueryEscape(field_selector));
  }
  std::string next;
  do {
    const std::string query = fmt::format("?limit={}{}{}", kPageSize, selector, next);
    auto body = client::GetIfFound(client, path + query);
    if (!body) return std::unexpected(body.error());
    if (!*body) return {};
    auto page = client::ReadListPage(**std::move(body), client::WireForm::kJson, codec);
    if (!page) return Fail(fmt::format("GET {}: {}", path, page.error().message));
    for (client::Received& item : page->items) {
      if (item.object) {
        objects.push_back(*std::move(item.object));
      } else {
        const api::ObjectKey key{item.meta.namespace_, item.meta.name};
        notes.push_back(fmt::format("{}: {} is left out: {}", path, key.ToString(),
                                    item.object.error().message));
      }
    }
    const std::string& token = page->continue_token;
    next = token.empty() ? "" : fmt::format("&continue={}", client::QueryEscape(token));
  } while (!next.empty());
  return {};
}

}  // namespace

Result<std::unique_ptr<LiveCluster>> LiveCluster::Make(const std::string& kubeconfig,
                                                       const std::string& context) {
  auto config = client::LoadClientConfig({.kubeconfig = kubeconfig, .context = context});
  if (!config) return std::unexpected(config.error());
  config->qps = -1;
  std::unique_ptr<LiveCluster> cluster(new LiveCluster);
  auto client = client::RestClient::Create(cluster->loop_, *std::move(config));
  if (!client) return std::unexpected(client.error());
  cluster->client_ = *std::move(client);
  cluster->loop_.Start();
  return cluster;
}

Result<std::vector<api::Object>> LiveCluster::List(const scheduler::model::Features& features,
                                                   bool raw_json, std::vector<std::string>& notes) {
  std::vector<api::Object> objects;
  Status status = ListAll(*client_, "/apis/scheduling.k8s.io/v1/priorityclasses", "",
                          client::CodecOf<api::PriorityClass>(), objects, notes);
  for (const client::WatchSource& source : runtime::WatchSources(features, raw_json)) {
    if (!status) break;
    status = ListAll(*client_, source.path, source.field_selector, source.codec, objects, notes);
  }
  if (!status) return std::unexpected(status.error());
  return objects;
}

Result<bool> LiveCluster::Has(const api::scheme::Kind& kind, const api::ObjectKey& key) {
  std::string path = kind.group.empty() ? fmt::format("/api/{}", kind.version)
                                        : fmt::format("/apis/{}/{}", kind.group, kind.version);
  if (kind.namespaced) path += fmt::format("/namespaces/{}", client::QueryEscape(key.namespace_));
  const auto found = client::GetIfFound(
      *client_, fmt::format("{}/{}/{}", path, kind.resource, client::QueryEscape(key.name)));
  if (!found) return std::unexpected(found.error());
  return found->has_value();
}

}  // namespace berth::cmd
