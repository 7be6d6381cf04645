// OutageLog logs that an API server cannot be reached: the first failed request, then ever more
// rarely, and the end with a summary.
//
// DIFFERS: in kube-scheduler each reflector logs each of its attempts.
//
// An outage is a time in which requests fail without a response or with a server error (5xx), and
// none succeeds. Used on one thread, by all reflectors of one server.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/time.h"

namespace berth::client {

class OutageLog {
 public:
  explicit OutageLog(std::function<void(const std::string&)> log) : log_(std::move(log)) {}

  // A request failed. `what` names the resource and the error.
  void Failed(const std::string& what, Instant now);
  // The server has responded to a request.
  void Responded(Instant now) {
    if (failures_ != 0) End(now);
  }

 private:
  void End(Instant now);

  const std::function<void(const std::string&)> log_;
  size_t failures_ = 0;  // Since the last response.
  Instant since_, logged_at_;
  Duration silence_;  // From the last line to the next.
};

}  // namespace berth::client
