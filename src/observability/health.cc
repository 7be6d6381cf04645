#include "observability/health.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "observability/metric_registry.h"

namespace berth::observability {
namespace {

std::string Decode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* hex = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(hex, hex + 2, byte, 16).ptr == hex + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

struct QueryOptions {
  bool verbose = false;
  std::set<std::string> excluded;
};

QueryOptions Parse(std::string_view query) {
  QueryOptions options;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string name = Decode(pair.substr(0, equals));
    if (name == "verbose") options.verbose = true;
    if (name == "exclude" && equals < pair.size())
      options.excluded.insert(Decode(pair.substr(equals + 1)));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return options;
}

}  // namespace

HealthCheck PingCheck() {
  return {"ping", [] { return Status(); }};
}

HealthSlis::HealthSlis()
    : state_(registry_.AddGauge({.name = "kubernetes_healthcheck",
                                 .help = "1 if the last run of the health check passed.",
                                 .stability = Stability::kStable,
                                 .labels = {"name", "type"}})),
      totals_(registry_.AddCounter({.name = "kubernetes_healthchecks_total",
                                    .help = "Number of results of the health check, by status.",
                                    .stability = Stability::kStable,
                                    .labels = {"name", "status", "type"}})) {}

void HealthSlis::Record(std::string_view check, std::string_view endpoint, bool ok) {
  state_.With({check, endpoint}).Set(ok ? 1 : 0);
  totals_.With({check, ok ? "success" : "error", endpoint}).Increment();
}

std::string HealthSlis::Text() const { return MetricsText(registry_); }

HealthEndpoint::HealthEndpoint(std::string name, std::vector<HealthCheck> checks, HealthSlis* slis)
    : name_(std::move(name)), checks_(std::move(checks)), slis_(slis) {
  if (checks_.empty()) checks_.push_back(PingCheck());
}

std::optional<HealthResponse> HealthEndpoint::Respond(std::string_view path,
                                                      std::string_view query) const {
  const std::string root = "/" + name_;
  if (path == root) return RespondWithAll(query);
  if (!path.starts_with(root + "/")) return std::nullopt;
  const auto check = std::ranges::find(checks_, path.substr(root.size() + 1), &HealthCheck::name);
  if (check == checks_.end()) return std::nullopt;
  return RespondWithOne(*check);
}

Status HealthEndpoint::Run(const HealthCheck& check) const {
  Status status = check.check();
  if (slis_ != nullptr) slis_->Record(check.name, name_, status.has_value());
  return status;
}

HealthResponse HealthEndpoint::RespondWithOne(const HealthCheck& check) const {
  const Status status = Run(check);
  if (status) return {200, "ok"};
  return {500, fmt::format("internal server error: {}\n", status.error().message)};
}

HealthResponse HealthEndpoint::RespondWithAll(std::string_view query) const {
  QueryOptions options = Parse(query);
  std::string lines;
  bool failed = false;
  for (const HealthCheck& check : checks_) {
    if (options.excluded.erase(check.name) > 0) {
      lines += fmt::format("[+]{} excluded: ok\n", check.name);
    } else if (Run(check)) {
      lines += fmt::format("[+]{} ok\n", check.name);
    } else {
      lines += fmt::format("[-]{} failed: reason withheld\n", check.name);
      failed = true;
    }
  }
  if (!options.excluded.empty()) {
    lines += fmt::format("warn: some health checks cannot be excluded: no matches for \"{}\"\n",
                         fmt::join(options.excluded, "\", \""));
  }
  if (failed) return {500, fmt::format("{}{} check failed\n", lines, name_)};
  if (!options.verbose) return {200, "ok"};
  return {200, fmt::format("{}{} check passed\n", lines, name_)};
}

}  // namespace berth::observability
