// What is wrong with a running scheduler, asked over its HTTPS port: `berth check --address`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/client_config.h"
#include "cmd/check_report.h"

namespace berth::cmd {

// The series of /metrics: values by name and labels.
class MetricSamples {
 public:
  // Parses Prometheus' text format; lines that are none are skipped.
  static MetricSamples Parse(std::string_view text);

  bool has(std::string_view name) const { return samples_.contains(name); }
  // Returns the sum of the series of that name whose labels contain `label`, which is
  // `queue="active"`, or empty for all; 0 if there are none.
  double Sum(std::string_view name, std::string_view label = "") const;

  struct Sample {
    std::string labels;  // `queue="active"`
    double value = 0;
  };
  // The series of that name.
  const std::vector<Sample>& Of(std::string_view name) const;

 private:
  std::map<std::string, std::vector<Sample>, std::less<>> samples_;
};

// Adds what the metrics of a scheduler say about its state.
void JudgeMetrics(const MetricSamples& metrics, CheckReport& report);

// Adds what the body of /livez?verbose, of any status, says. Returns the names of the checks that
// fail.
std::vector<std::string> FailedChecks(std::string_view verbose);

// Asks the scheduler at the server of `scheduler`, with its credentials, and adds what it finds.
void CheckScheduler(client::ClientConfig scheduler, CheckReport& report);

}  // namespace berth::cmd
