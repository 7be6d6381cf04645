// LiveCluster reads the objects of a running cluster. It sends GET requests only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "client/informers.h"
#include "client/rest_client.h"
#include "net/event_loop.h"
#include "scheduler/model/features.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::flags {
struct Command;
}

namespace berth::cmd {

// A collection of which some objects were not read.
struct LeftOut {
  std::string resource;  // "resourceclaims.resource.k8s.io"
  std::string reason;    // Why, for users.
};

// What a user may read of a cluster.
struct ReadableObjects {
  std::vector<api::Object> objects;
  std::vector<std::string> notes;  // About objects that cannot be decoded.
  std::vector<LeftOut> left_out;
};

// Returns the kubeconfig file that kubectl would use; empty if there is none.
std::string DefaultKubeconfig();
// Says in the manual of a command where DefaultKubeconfig looks.
void DescribeDefaultKubeconfig(flags::Command& command);

class LiveCluster {
 public:
  // Is called with the collection and the number of objects of it that were read so far.
  using Progress = std::function<void(std::string_view resource, size_t objects)>;

  // Loads the configuration of the client; does not connect yet.
  static Result<std::unique_ptr<LiveCluster>> Make(const std::string& kubeconfig,
                                                   const std::string& context);

  // Lists what a scheduler reads, and the priority classes; resources that the server does not have
  // are empty. With `raw_json`, pods and nodes retain their raw JSON, for extenders. Objects that
  // cannot be decoded are left out and described in `notes`, as fields are (api/broken_objects.h).
  Result<std::vector<api::Object>> List(const scheduler::model::Features& features, bool raw_json,
                                        std::vector<std::string>& notes);

  // The same as far as the user may: of collections that may not be listed, only the objects of
  // `namespace_`, or none. Fails if nodes or the pods of the namespace cannot be listed.
  Result<ReadableObjects> ListReadable(const scheduler::model::Features& features,
                                       const std::string& namespace_, const Progress& progress);

  // Reports whether the object exists.
  Result<bool> Has(const api::scheme::Kind& kind, const api::ObjectKey& key);
  // Returns the pod, finished or not.
  Result<std::optional<api::Ref<api::Pod>>> GetPod(const api::ObjectKey& key);

  // The namespace of the context.
  const std::string& default_namespace() const { return client_->config().default_namespace; }

  // Returns the configuration for another server, with the credentials for this one.
  Result<client::ClientConfig> ConfigFor(const std::string& server) const;
  client::RestClient& client() { return *client_; }
  net::EventLoop& loop() { return loop_; }

 private:
  LiveCluster() = default;

  Status ListReadableOf(const client::WatchSource& source, const std::string& namespace_,
                        const Progress& progress, ReadableObjects& readable);

  std::string kubeconfig_;
  std::string context_;
  net::EventLoop loop_;
  std::unique_ptr<client::RestClient> client_;
};

}  // namespace berth::cmd
