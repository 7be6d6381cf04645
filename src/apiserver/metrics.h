// Metrics counts what the server does, and writes it in Prometheus' text format.
//
// Thread-safe; counting a request costs one lock and one look-up.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "store/store.h"

namespace berth::apiserver {

class Metrics : public std::enable_shared_from_this<Metrics> {
 public:
  // `resource` is "pods" or "deployments.apps", empty for other paths.
  void CountRequest(std::string_view verb, std::string_view resource, int code);
  // The watch is open as long as what is returned.
  std::shared_ptr<void> OpenWatch(std::string_view resource);

  // Everything, with what `store` holds now.
  std::string Text(const store::Store& store) const;

 private:
  using RequestKey = std::tuple<std::string, std::string, int>;
  using RequestView = std::tuple<std::string_view, std::string_view, int>;
  struct RequestOrder {
    using is_transparent = void;
    static RequestView View(const RequestKey& key) { return key; }
    static RequestView View(const RequestView& key) { return key; }
    bool operator()(const auto& a, const auto& b) const { return View(a) < View(b); }
  };

  mutable std::mutex mutex_;
  std::map<RequestKey, uint64_t, RequestOrder> requests_;
  std::map<std::string, int64_t, std::less<>> watches_;
};

}  // namespace berth::apiserver
