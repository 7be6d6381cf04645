// The paths that are not about objects: discovery, OpenAPI, version, health and metrics.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/scheme/api_error.h"
#include "apiserver/request_info.h"
#include "apiserver/request_metrics.h"
#include "apiserver/store/store.h"
#include "net/http_server.h"

namespace berth::apiserver {

// Thread-safe. Documents are made when they are first asked for, and kept.
class NonResourcePaths {
 public:
  // Both must outlive it.
  NonResourcePaths(const store::Store& store, const Metrics& metrics)
      : store_(store), metrics_(metrics) {}

  api::scheme::ApiResult<net::ServerResponse> Serve(const RequestInfo& info,
                                                    const net::ServerRequest& request);

  // Asked by those who cannot authenticate themselves.
  static bool IsHealth(std::string_view path);

 private:
  using Document = std::shared_ptr<const std::string>;
  // Null if there is no such document.
  Document Keep(const std::string& key, const std::function<std::optional<std::string>()>& make);
  api::scheme::ApiResult<net::ServerResponse> Json(
      const std::string& key, const std::function<std::optional<std::string>()>& make);
  api::scheme::ApiResult<net::ServerResponse> Discovery(bool core, std::string_view accept);
  api::scheme::ApiResult<net::ServerResponse> OpenApi(const std::string& path,
                                                      std::string_view accept);
  net::ServerResponse Health() const;

  const store::Store& store_;
  const Metrics& metrics_;
  std::mutex mutex_;
  std::map<std::string, Document> documents_;
};

}  // namespace berth::apiserver
