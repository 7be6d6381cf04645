// LiveCluster reads the objects of a running cluster. It sends GET requests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "client/rest_client.h"
#include "net/event_loop.h"
#include "scheduler/model/features.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::cmd {

class LiveCluster {
 public:
  // Loads the configuration of the client; does not connect yet.
  static Result<std::unique_ptr<LiveCluster>> Make(const std::string& kubeconfig,
                                                   const std::string& context);

  // Lists what a scheduler reads, and the priority classes; resources that the server does not have
  // are empty. With `raw_json`, pods and nodes retain their raw JSON, for extenders. Objects that
  // cannot be decoded are left out and described in `notes`, as fields are (api/broken_objects.h).
  Result<std::vector<api::Object>> List(const scheduler::model::Features& features, bool raw_json,
                                        std::vector<std::string>& notes);

  // Reports whether the object exists.
  Result<bool> Has(const api::scheme::Kind& kind, const api::ObjectKey& key);

 private:
  LiveCluster() = default;

  net::EventLoop loop_;
  std::unique_ptr<client::RestClient> client_;
};

}  // namespace berth::cmd
