// HealthEndpoint serves /healthz, /livez or /readyz: a list of named checks.
//
// Checks run on the thread of each request; they must be cheap and thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "observability/metric_registry.h"

namespace berth::observability {

struct HealthCheck {
  std::string name;
  std::function<Status()> check;  // The error is the reason.
};

// Returns a check that always passes.
HealthCheck PingCheck();

struct HealthResponse {
  int status = 200;
  std::string text;
};

// HealthSlis are the metrics of /metrics/slis: the last result of each check, and how often it had
// each result.
class HealthSlis {
 public:
  HealthSlis();
  void Record(std::string_view check, std::string_view endpoint, bool ok);
  std::string Text() const;
  void Reset() { registry_.Reset(); }

 private:
  MetricRegistry registry_;
  GaugeFamily& state_;
  CounterFamily& totals_;
};

class HealthEndpoint {
 public:
  // `name` is "healthz", "livez" or "readyz". `slis` may be null and must outlive this otherwise.
  HealthEndpoint(std::string name, std::vector<HealthCheck> checks, HealthSlis* slis = nullptr);

  const std::string& name() const { return name_; }
  const std::vector<HealthCheck>& checks() const { return checks_; }

  // Responds to a request for `path`, which is "/livez" or "/livez/CHECK", with the raw query
  // `query`. Returns nullopt if there is no such check.
  //
  // The root is public, so it withholds the reasons for failures; a single check includes them.
  std::optional<HealthResponse> Respond(std::string_view path, std::string_view query) const;

 private:
  HealthResponse RespondWithAll(std::string_view query) const;
  HealthResponse RespondWithOne(const HealthCheck& check) const;
  Status Run(const HealthCheck& check) const;

  std::string name_;
  std::vector<HealthCheck> checks_;
  HealthSlis* slis_;
};

}  // namespace berth::observability
