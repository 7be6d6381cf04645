// RestObserver hears what a RestClient does: the source of the rest_client_* metrics.
//
// Called on the loop's thread; must not block. `host` is the server's: "10.0.0.1:6443".
#pragma once

#include <cstddef>
#include <string_view>

#include "base/time.h"

namespace berth::client {

class RestObserver {
 public:
  virtual ~RestObserver() = default;

  // One try is over: its status, or 0 if there was no answer (code "<error>").
  virtual void Tried(std::string_view method, std::string_view host, int code) = 0;
  // It is tried again because of that status.
  virtual void Retried(std::string_view method, std::string_view host, int code) = 0;
  // A request is over, waiting and all tries included. Streams are not told.
  virtual void Finished(std::string_view method, std::string_view host, Duration took) = 0;
  // How long a try had to wait for its turn. Not called where there is no limit.
  virtual void Waited(std::string_view method, std::string_view host, Duration time) = 0;
  // The bodies of a try; streams tell what they send only.
  virtual void Sent(std::string_view method, std::string_view host, size_t bytes) = 0;
  virtual void Received(std::string_view method, std::string_view host, size_t bytes) = 0;
};

}  // namespace berth::client
