#include "daemon/cache_report.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <future>

#include "client/query_text.h"
#include "daemon/log.h"
#include "kinds/json_access.h"

namespace berth::daemon {
namespace {

using apiserver::ArrayAt;
using apiserver::AsObject;
using apiserver::ObjectAt;
using apiserver::StringAt;

constexpr std::string_view kUnfinished =
    "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";

Result<std::string> Get(Scheduler& scheduler, std::string path) {
  std::promise<Result<std::string>> promise;
  client::RestRequest request;
  request.path = path;
  scheduler.requests().Send(std::move(request), [&](client::RestResult<client::RestAnswer> got) {
    if (!got) return promise.set_value(Fail(got.error().message));
    if (!got->ok()) return promise.set_value(Fail(fmt::format("{}: {}", path, got->status)));
    promise.set_value(std::move(got->body));
  });
  return promise.get_future().get();
}

Status List(Scheduler& scheduler, const std::string& path, bool uids, std::set<std::string>& into) {
  std::string continued;
  do {
    const auto body = Get(
        scheduler, continued.empty() ? path : path + "&continue=" + client::QueryEscape(continued));
    if (!body) return std::unexpected(body.error());
    auto next = ReadPage(*body, uids, into);
    if (!next) return std::unexpected(next.error());
    continued = *std::move(next);
  } while (!continued.empty());
  return {};
}

void LogMismatch(const CacheComparison& comparison) {
  if (!comparison.missed_nodes.empty() || !comparison.redundant_nodes.empty()) {
    LOG_INFO("Cache mismatch", {{"missedNodes", comparison.missed_nodes},
                                {"redundantNodes", comparison.redundant_nodes}});
  }
  if (!comparison.missed_pods.empty() || !comparison.redundant_pods.empty()) {
    LOG_INFO("Cache mismatch", {{"missedPods", comparison.missed_pods},
                                {"redundantPods", comparison.redundant_pods}});
  }
}

}  // namespace

Result<std::string> ReadPage(std::string_view body, bool uids, std::set<std::string>& into) {
  boost::system::error_code error;
  const auto list = boost::json::parse(body, error);
  const auto* items = error ? nullptr : ArrayAt(AsObject(list), "items");
  if (items == nullptr) return Fail("the API server's answer is no list");
  for (const auto& item : *items) {
    into.emplace(StringAt(ObjectAt(AsObject(item), "metadata"), uids ? "uid" : "name"));
  }
  return std::string(StringAt(ObjectAt(AsObject(list), "metadata"), "continue"));
}

void ReportCache(Scheduler& scheduler) {
  ApiContents api;
  Status listed = List(scheduler, "/api/v1/nodes?limit=500", false, api.nodes);
  if (listed) {
    listed = List(scheduler, fmt::format("/api/v1/pods?limit=500{}", kUnfinished), true, api.pods);
  }
  if (!listed) LOG_ERROR(listed.error(), "Cannot compare the cache with the API");
  scheduler.driver().RunBetweenSteps([&](const Engine& engine) {
    if (listed) LogMismatch(CompareWithApi(engine, api));
    LOG_INFO("Dump of cached NodeInfo", {{"nodes", DumpNodes(engine)}});
    LOG_INFO("Dump of scheduling queue", {{"pods", DumpQueue(engine)}});
  });
}

}  // namespace berth::daemon
