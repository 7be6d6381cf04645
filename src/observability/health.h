// Health endpoints: /healthz, /livez and /readyz, each a list of named checks.
//
// Checks are asked when somebody asks, on the thread that does; they must be cheap and safe to call
// from any.
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
  std::function<Status()> check;  // An error says what is wrong.
};

// Always well.
HealthCheck PingCheck();

struct HealthResponse {
  int status = 200;
  std::string text;
};

// HealthSlis are the metrics of /metrics/slis: what each check said when it was last asked, and how
// often it said what.
class HealthSlis {
 public:
  HealthSlis();
  void Note(std::string_view check, std::string_view endpoint, bool ok);
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

  // Answers a request of `path`, that is "/livez" or "/livez/CHECK", with the raw query `query`.
  // Nothing if there is no such check.
  //
  // The root is public, so it withholds the reasons for failures; a single check gives them.
  std::optional<HealthResponse> Answer(std::string_view path, std::string_view query) const;

 private:
  HealthResponse AnswerAll(std::string_view query) const;
  HealthResponse AnswerOne(const HealthCheck& check) const;
  Status Ask(const HealthCheck& check) const;

  std::string name_;
  std::vector<HealthCheck> checks_;
  HealthSlis* slis_;
};

}  // namespace berth::observability
