// NonResourcePaths serves the paths that are not resources: discovery, OpenAPI, version, health and
// metrics.
//
// Thread-safe. Documents are built on the first request and cached until the kinds change.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/scheme/api_error.h"
#include "api/scheme/kind_set.h"
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
                                                    const net::ServerRequest& request,
                                                    const api::scheme::KindSet& kinds);

  // Reports whether `path` is a health endpoint, which needs no authentication.
  static bool IsHealth(std::string_view path);

 private:
  using Document = std::shared_ptr<const std::string>;
  // Returns the cached document, or calls `make`; null if there is no such document.
  Document Cached(const api::scheme::KindSet& kinds, const std::string& key,
                  const std::function<std::optional<std::string>()>& make);
  api::scheme::ApiResult<net::ServerResponse> ServeJson(
      const api::scheme::KindSet& kinds, const std::string& key,
      const std::function<std::optional<std::string>()>& make);
  api::scheme::ApiResult<net::ServerResponse> Discovery(const api::scheme::KindSet& kinds,
                                                        bool core, std::string_view accept);
  api::scheme::ApiResult<net::ServerResponse> OpenApi(const api::scheme::KindSet& kinds,
                                                      const std::string& path,
                                                      std::string_view accept);
  net::ServerResponse Health() const;

  const store::Store& store_;
  const Metrics& metrics_;
  std::mutex mutex_;
  uint64_t revision_ = 0;  // Of the kinds that the documents describe.
  std::map<std::string, Document> documents_;
};

}  // namespace berth::apiserver
