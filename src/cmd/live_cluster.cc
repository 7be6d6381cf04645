#include "cmd/live_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "api/scheme/scheme.h"
#include "client/api_status.h"
#include "client/escaping.h"
#include "client/load_config.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"
#include "flags/command.h"
#include "runtime/watched_resources.h"

namespace berth::cmd {
namespace {

// Objects per request, as client-go's pager asks for.
constexpr int kPageSize = 500;

constexpr const char* kProtobufOrJson = "application/vnd.kubernetes.protobuf, application/json";

enum class Access { kAll, kNotServed, kForbidden };

struct ListOutcome {
  Access what = Access::kAll;
  std::string message = {};  // If it is forbidden.
};

// One collection that is listed.
struct Collection {
  std::string path, other_path;  // As of client::WatchSource.
  std::string_view field_selector;
  const client::ObjectCodec& codec;
  LiveCluster::Progress progress = {};
  std::string_view resource = {};
};

client::RestRequest RequestFor(const Collection& collection, std::string_view token, bool paged) {
  client::RestRequest request;
  request.path = collection.path;
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    request.path += fmt::format("{}{}={}", separator, name, client::QueryEscape(value));
    separator = '&';
  };
  if (paged) add("limit", std::to_string(kPageSize));
  if (!collection.field_selector.empty()) add("fieldSelector", collection.field_selector);
  if (!token.empty()) add("continue", token);
  if (collection.codec.protobuf != nullptr) request.accept = kProtobufOrJson;
  return request;
}

// Appends the objects of all pages of one collection.
Result<ListOutcome> ListAll(client::RestClient& client, const Collection& collection,
                            std::vector<api::Object>& objects, std::vector<std::string>& notes) {
  const size_t first = objects.size();
  std::string token;
  bool paged = true;
  for (size_t pages = 0; pages < client::kMaxListPages; ++pages) {
    const client::RestRequest request = RequestFor(collection, token, paged);
    auto response = client::SendAndWait(client, request);
    if (!response) return Fail(client::Describe(request, response));
    if (response->status == 404 && !collection.other_path.empty()) {
      Collection other = collection;
      other.path = std::exchange(other.other_path, "");
      return ListAll(client, other, objects, notes);
    }
    if (response->status == 404) return ListOutcome{Access::kNotServed};
    if (response->status == 403) {
      return ListOutcome{Access::kForbidden, client::Describe(request, *response)};
    }
    if (response->status == 410 && !token.empty()) {
      // The server has dropped this version of the list: as client-go, ask for all of it at once.
      objects.resize(first);
      token.clear();
      paged = false;
      continue;
    }
    if (!response->ok()) return Fail(client::Describe(request, response));
    const client::WireForm form =
        client::FormOf(net::FindHeader(response->headers, "Content-Type"));
    auto page = client::ReadListPage(std::move(response->body), form, collection.codec);
    if (!page) return Fail(fmt::format("GET {}: {}", collection.path, page.error().message));
    for (client::Received& item : page->items) {
      if (item.object) {
        objects.push_back(*std::move(item.object));
      } else {
        const api::ObjectKey key{item.meta.namespace_, item.meta.name};
        notes.push_back(fmt::format("{}: {} is left out: {}", collection.path, key.ToString(),
                                    item.object.error().message));
      }
    }
    if (collection.progress) collection.progress(collection.resource, objects.size() - first);
    token = page->continue_token;
    if (token.empty()) return ListOutcome{};
  }
  return Fail(fmt::format("GET {}: the list has more than {} pages", collection.path,
                          client::kMaxListPages));
}

// "/api/v1/pods" becomes "/api/v1/namespaces/shop/pods".
std::string InNamespace(const std::string& path, const std::string& namespace_) {
  const size_t slash = path.rfind('/');
  return fmt::format("{}/namespaces/{}{}", path.substr(0, slash), client::QueryEscape(namespace_),
                     path.substr(slash));
}

// "/apis/apps/v1/replicasets" has "v1".
std::string_view VersionIn(std::string_view path) {
  path = path.substr(0, path.rfind('/'));
  return path.substr(path.rfind('/') + 1);
}

bool IsNamespaced(std::string_view path) {
  for (const std::string_view resource :
       {"/pods", "/services", "/replicationcontrollers", "/replicasets", "/statefulsets",
        "/persistentvolumeclaims", "/resourceclaims", "/poddisruptionbudgets",
        "/csistoragecapacities", "/podgroups"}) {
    if (path.ends_with(resource)) return true;
  }
  return false;
}

client::WatchSource PriorityClasses() {
  return {.resource = "priorityclasses.scheduling.k8s.io",
          .path = "/apis/scheduling.k8s.io/v1/priorityclasses",
          .field_selector = "",
          .codec = client::CodecOf<api::PriorityClass>()};
}

std::vector<client::WatchSource> Sources(const scheduler::model::Features& features,
                                         bool raw_json) {
  std::vector<client::WatchSource> sources = runtime::WatchSources(features, raw_json);
  sources.insert(sources.begin(), PriorityClasses());
  return sources;
}

}  // namespace

std::string DefaultKubeconfig() {
  if (const char* list = std::getenv("KUBECONFIG"); list != nullptr && *list != '\0') {
    std::string_view rest = list;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      const std::string file(rest.substr(0, end));
      std::error_code ignored;
      if (!file.empty() && std::filesystem::exists(file, ignored)) return file;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr) return "";
  const std::string file = std::string(home) + "/.kube/config";
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ? file : "";
}

void DescribeDefaultKubeconfig(flags::Command& command) {
  command.environment = {{"KUBECONFIG",
                          "Kubeconfig files, separated by colons: the first that "
                          "exists is read unless --kubeconfig is set"}};
  command.files = {{"~/.kube/config", "Kubeconfig if neither is set"},
                   {"/var/run/secrets/kubernetes.io/serviceaccount",
                    "Credentials in a pod, if there is no kubeconfig"}};
}

Result<std::unique_ptr<LiveCluster>> LiveCluster::Make(const std::string& kubeconfig,
                                                       const std::string& context) {
  auto config = client::LoadClientConfig({.kubeconfig = kubeconfig, .context = context});
  if (!config) return std::unexpected(config.error());
  config->qps = -1;
  std::unique_ptr<LiveCluster> cluster(new LiveCluster);
  cluster->kubeconfig_ = kubeconfig;
  cluster->context_ = context;
  auto client = client::RestClient::Create(cluster->loop_, *std::move(config));
  if (!client) return std::unexpected(client.error());
  cluster->client_ = *std::move(client);
  cluster->loop_.Start();
  return cluster;
}

Result<std::vector<api::Object>> LiveCluster::List(const scheduler::model::Features& features,
                                                   bool raw_json, std::vector<std::string>& notes) {
  std::vector<api::Object> objects;
  for (const client::WatchSource& source : Sources(features, raw_json)) {
    const auto listed =
        ListAll(*client_, {source.path, source.other_path, source.field_selector, source.codec},
                objects, notes);
    if (!listed) return std::unexpected(listed.error());
    if (listed->what == Access::kForbidden) return Fail(listed->message);
  }
  return objects;
}

Result<ReadableObjects> LiveCluster::ListReadable(const scheduler::model::Features& features,
                                                  const std::string& namespace_,
                                                  const Progress& progress) {
  ReadableObjects readable;
  for (const client::WatchSource& source : Sources(features, false)) {
    if (Status status = ListReadableOf(source, namespace_, progress, readable); !status) {
      return std::unexpected(status.error());
    }
  }
  return readable;
}

Status LiveCluster::ListReadableOf(const client::WatchSource& source, const std::string& namespace_,
                                   const Progress& progress, ReadableObjects& readable) {
  Collection collection{source.path,  source.other_path, source.field_selector,
                        source.codec, progress,          source.resource};
  const auto listed = ListAll(*client_, collection, readable.objects, readable.notes);
  if (!listed) return std::unexpected(listed.error());
  if (listed->what == Access::kAll) return {};
  if (listed->what == Access::kNotServed) {
    readable.left_out.push_back(
        {source.resource,
         fmt::format("the server does not serve it in version {}", VersionIn(source.path))});
    return {};
  }
  if (source.resource == "nodes")
    return Fail(listed->message + "; without nodes there is no answer");
  if (!IsNamespaced(source.path)) {
    readable.left_out.push_back({source.resource, listed->message});
    return {};
  }
  collection.path = InNamespace(source.path, namespace_);
  if (!source.other_path.empty())
    collection.other_path = InNamespace(source.other_path, namespace_);
  const auto within = ListAll(*client_, collection, readable.objects, readable.notes);
  if (!within) return std::unexpected(within.error());
  if (within->what == Access::kAll) {
    readable.left_out.push_back(
        {source.resource,
         fmt::format("those of other namespaces than {}: {}", namespace_, listed->message)});
    return {};
  }
  if (source.resource == "pods") return Fail(within->message);
  readable.left_out.push_back({source.resource, within->message});
  return {};
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

Result<std::optional<api::Ref<api::Pod>>> LiveCluster::GetPod(const api::ObjectKey& key) {
  const std::string path =
      fmt::format("/api/v1/namespaces/{}/pods/{}", client::QueryEscape(key.namespace_),
                  client::QueryEscape(key.name));
  const auto body = client::GetIfFound(*client_, path);
  if (!body) return std::unexpected(body.error());
  if (!*body) return std::nullopt;
  client::Received received =
      client::ReceiveItem(**body, client::WireForm::kJson, client::CodecOf<api::Pod>());
  if (!received.object) {
    return Fail(fmt::format("GET {}: {}", path, received.object.error().message));
  }
  return std::get<api::Ref<api::Pod>>(*received.object);
}

Result<client::ClientConfig> LiveCluster::ConfigFor(const std::string& server) const {
  return client::LoadClientConfig(
      {.kubeconfig = kubeconfig_, .master = server, .context = context_});
}

}  // namespace berth::cmd
