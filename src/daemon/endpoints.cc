#include "daemon/endpoints.h"

#include <fmt/format.h>

#include <utility>

#include "config/print.h"
#include "daemon/answers.h"
#include "daemon/flag_values.h"
#include "daemon/zpages.h"

namespace berth::daemon {
namespace {

using Handler = Endpoints::Handler;

// kube-scheduler's debugging handlers leave out the character set.
net::ServerAnswer DebugAnswer(int status, std::string text) {
  net::ServerAnswer answer = net::ServerAnswer::Text(status, "text/plain", std::move(text));
  answer.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return answer;
}

Handler WithReset(Handler show, std::function<void()> reset) {
  return [show = std::move(show), reset = std::move(reset)](const net::ServerRequest& request) {
    if (request.method != "DELETE" || !reset) return show(request);
    reset();
    return PlainAnswer(200, "metrics reset\n");
  };
}

// {"componentconfig": ...}; it does not change while the process runs.
Handler Configz(const config::Configuration& configuration) {
  std::string text = fmt::format("{{\"componentconfig\":{}}}", config::ToJsonText(configuration));
  return [text = std::move(text)](const net::ServerRequest&) {
    net::ServerAnswer answer = net::ServerAnswer::Text(200, "application/json", text);
    answer.headers.push_back({"X-Content-Type-Options", "nosniff"});
    return answer;
  };
}

Handler SetVerbosity(Logger& log) {
  return [&log](const net::ServerRequest& request) {
    if (request.method != "PUT") return DebugAnswer(406, "unsupported http method");
    const auto level = ParseLevel(request.body);
    if (!level) return DebugAnswer(400, level.error().message);
    log.set_verbosity(*level);
    return DebugAnswer(200,
                       fmt::format("successfully set klog.logging.verbosity to {}", request.body));
  };
}

void AddDebugging(Endpoints& endpoints, Logger& log) {
  // DIFFERS: there is no Go runtime to profile.
  const Handler no_profiles = [](const net::ServerRequest&) {
    return DebugAnswer(501,
                       "Berth is not a Go program and has no pprof profiles; use perf on the "
                       "process instead.\n");
  };
  endpoints.Handle("/debug/pprof", no_profiles, false);
  endpoints.HandlePrefix("/debug/pprof/", no_profiles);
  const Handler index = [](const net::ServerRequest&) {
    return DebugAnswer(200, "/debug/flags/v\n");
  };
  endpoints.Handle("/debug/flags", index, false);
  endpoints.HandlePrefix("/debug/flags/", index);
  endpoints.Handle("/debug/flags/v", SetVerbosity(log), false);
}

StatusPage PageNow(const EndpointSources& sources, std::vector<std::string> paths) {
  return {.started = sources.started,
          .now = sources.clock->Now(),
          .runtime = fmt::format("none (C++, gcc {})", __VERSION__),
          .binary_version = "1.36.0",
          .emulation_version = "1.36",
          .paths = std::move(paths)};
}

}  // namespace

void Endpoints::Handle(std::string path, Handler handler, bool listed) {
  if (listed) listed_.push_back(path);
  exact_.insert_or_assign(std::move(path), std::move(handler));
}

void Endpoints::HandlePrefix(std::string prefix, Handler handler) {
  prefixes_.insert_or_assign(std::move(prefix), std::move(handler));
}

const Endpoints::Handler* Endpoints::Find(const std::string& path) const {
  if (const auto found = exact_.find(path); found != exact_.end()) return &found->second;
  const Handler* best = nullptr;
  // Longer prefixes come later, and fit better.
  for (const auto& [prefix, handler] : prefixes_) {
    if (path.starts_with(prefix)) best = &handler;
  }
  return best;
}

net::ServerAnswer Endpoints::Serve(const net::ServerRequest& request) const {
  const Handler* handler = Find(PathOf(request));
  net::ServerAnswer answer = handler == nullptr ? NotFoundAnswer() : (*handler)(request);
  return answer;
}

Endpoints MakeEndpoints(EndpointSources sources) {
  Endpoints endpoints;
  const auto add_checks = [&](const std::string& path, const Handler& handler) {
    if (!handler) return;
    endpoints.Handle(path, handler);
    endpoints.HandlePrefix(path + "/", handler);
  };
  add_checks("/healthz", sources.healthz);
  add_checks("/livez", sources.livez);
  add_checks("/readyz", sources.readyz);
  endpoints.Handle("/configz", Configz(sources.configuration));
  if (sources.metrics) {
    endpoints.Handle("/metrics", WithReset(sources.metrics, sources.reset_metrics));
  }
  if (sources.metrics_slis) {
    endpoints.Handle("/metrics/slis", WithReset(sources.metrics_slis, sources.reset_slis));
  }
  if (sources.metrics_resources) {
    endpoints.Handle("/metrics/resources", sources.metrics_resources);
  }
  if (sources.configuration.enable_profiling) AddDebugging(endpoints, *sources.log);
  if (sources.gates.IsOn("ComponentFlagz")) {
    endpoints.Handle("/flagz", [flags = sources.flags](const net::ServerRequest& request) {
      return FlagzAnswer(request, flags);
    });
  }
  if (sources.gates.IsOn("ComponentStatusz")) {
    // It lists those before it.
    endpoints.Handle("/statusz", [paths = endpoints.listed_paths(),
                                  kept = std::move(sources)](const net::ServerRequest& request) {
      return StatuszAnswer(request, PageNow(kept, paths));
    });
  }
  return endpoints;
}

}  // namespace berth::daemon
