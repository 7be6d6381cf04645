// Fixtures for tests that run a scheduler on a FakeApiServer.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "client/rest_client_testing.h"
#include "runtime/http_connection.h"

namespace berth::runtime {

// Returns clients of `server` that run on its executor.
inline ApiClients FakeClients(client::FakeApiServer& server) {
  const auto make = [&] {
    client::ClientConfig config;
    config.qps = -1;
    return server.MakeClient(std::move(config));
  };
  ApiClients clients;
  clients.watch_executor = &server.executor;
  clients.write_executor = &server.executor;
  clients.watches = make();
  clients.writes = make();
  clients.event_writes = make();
  return clients;
}

// Responds to all pending lists: with `pods` and `nodes`, frames of watch events, and with empty
// lists otherwise. The watches stay open.
inline void RespondToLists(client::FakeApiServer& server, const std::string& pods = "",
                           const std::string& nodes = "") {
  server.executor.Run();
  // A response may cause further requests.
  for (size_t i = 0; i < server.requests.size(); ++i) {
    client::FakeRequest& request = server.requests[i];
    if (request.cancelled || request.ended || !request.stream.on_head ||
        request.path.find("sendInitialEvents") == std::string::npos) {
      continue;
    }
    // The list is complete: the next request is a watch.
    request.path = "listed";
    const std::string path = request.url.substr(0, request.url.find('?'));
    const auto stream = request.stream;
    stream.on_head(200, client::FakeApiServer::Json());
    stream.on_data((path.ends_with("/pods")    ? pods
                    : path.ends_with("/nodes") ? nodes
                                               : "") +
                   client::Doc("{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'9',"
                               "'annotations':{'k8s.io/initial-events-end':'true'}}}}"));
  }
}

}  // namespace berth::runtime
