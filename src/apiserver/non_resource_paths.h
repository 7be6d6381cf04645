// NonResourcePaths serves the paths that are not resources: discovery, OpenAPI, version, health and
// metrics.
//
// Thread-safe. Documents are built on the first request and cached.
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

class NonResourcePaths {
 public:
  // Both must outlive this object.
  NonResourcePaths(const store::Store& store, const Metrics& metrics)
      : store_(store), metrics_(metrics) {}

  api::scheme::ApiResult<net::ServerResponse> Serve(const RequestInfo& info,
                                                    const net::ServerRequest& request);

  // Reports whether `path` is a health endpoint, which needs no authentication.
  static bool IsHealth(std::string_view path);

 private:
  using Document = std::shared_ptr<const std::string>;
  // Returns the cached document, or calls `make`; null if there is no such document.
  Document Cached(const std::string& key, const std::function<std::optional<std::string>()>& make);
  api::scheme::ApiResult<net::ServerResponse> ServeJson(
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
