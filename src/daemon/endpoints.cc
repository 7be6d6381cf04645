#include "daemon/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>
#include <utility>

#include "api/json/document.h"
#include "api/json/yaml_writer.h"
#include "api/timestamp.h"
#include "base/kubernetes_version.h"
#include "base/text.h"
#include "daemon/endpoint_responses.h"
#include "flags/flag_values.h"
#include "scheduler/config/print.h"

namespace berth::daemon {
namespace {

using api::JsonArray;
using api::JsonObject;

constexpr std::string_view kComponent = "berth-scheduler";
constexpr std::string_view kGroup = "config.k8s.io";
constexpr std::string_view kSupported = "application/json, application/yaml, text/plain";
// kube-scheduler picks one of four at random, so that clients do not rely on it.
constexpr char kSeparator = ':';

struct MediaType {
  std::string_view type;
  std::map<std::string_view, std::string_view> parameters;
  double quality = 1;
};

// Removes and returns the text before the next `separator`, which is removed too.
std::string_view TakePart(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::vector<MediaType> ParseAccept(std::string_view accept) {
  std::vector<MediaType> types;
  while (!accept.empty()) {
    std::string_view clause = TakePart(accept, ',');
    MediaType type;
    type.type = TakePart(clause, ';');
    while (!clause.empty()) {
      std::string_view parameter = TakePart(clause, ';');
      const std::string_view name = TakePart(parameter, '=');
      if (name == "q") {
        std::from_chars(parameter.data(), parameter.data() + parameter.size(), type.quality);
      } else {
        type.parameters[name] = Trim(parameter);
      }
    }
    if (!type.type.empty()) types.push_back(std::move(type));
  }
  std::ranges::stable_sort(types, std::greater{}, &MediaType::quality);
  return types;
}

struct Form {
  enum class Kind { kText, kJson, kYaml, kNone } kind = Kind::kNone;
  std::string version = {};  // API version of a structured form.
};

// Returns the form of a `kind` ("Flagz") that the client prefers.
Form Negotiate(std::string_view accept, std::string_view kind) {
  if (Trim(accept).empty()) return {Form::Kind::kText};
  for (const MediaType& type : ParseAccept(accept)) {
    const auto parameter = [&](std::string_view name) {
      const auto found = type.parameters.find(name);
      return found == type.parameters.end() ? std::string_view() : found->second;
    };
    const bool is_any = type.type == "*/*";
    if (parameter("as").empty()) {
      if (is_any || type.type == "text/plain" || type.type == "text/*") return {Form::Kind::kText};
      continue;
    }
    const std::string_view version = parameter("v");
    const bool is_known = parameter("as") == kind && parameter("g") == kGroup &&
                          (version == "v1beta1" || version == "v1alpha1");
    if (!is_known) continue;
    if (is_any || type.type == "application/json" || type.type == "application/*") {
      return {Form::Kind::kJson, std::string(version)};
    }
    if (type.type == "application/yaml") return {Form::Kind::kYaml, std::string(version)};
  }
  return {};
}

std::string Header(std::string_view page) {
  return fmt::format(
      "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
      "compatibility guarantees and is for debugging purposes only.\n",
      kComponent, page);
}

JsonObject StartObject(std::string_view kind, const std::string& version) {
  return {{"kind", kind},
          {"apiVersion", fmt::format("{}/{}", kGroup, version)},
          {"metadata", JsonObject{{"name", kComponent}}}};
}

net::ServerResponse Structured(const net::ServerRequest& request, const Form& form,
                               const JsonObject& object, std::string_view page) {
  net::ServerResponse response =
      form.kind == Form::Kind::kJson
          ? JsonResponse(request, 200, object)
          : net::ServerResponse::Text(200, "application/yaml", api::ToYamlText(object));
  if (form.version == "v1alpha1") {
    response.headers.push_back(
        {"Warning", fmt::format("299 - \"This version of the {} endpoint is deprecated. Please use "
                                "a newer version.\"",
                                page)});
  }
  return response;
}

// Formats a time as Go's time.UnixDate.
std::string UnixDate(Instant time) {
  const std::time_t seconds = time.unix_seconds();
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[64];
  return {text, std::strftime(text, sizeof(text), "%a %b %e %H:%M:%S UTC %Y", &utc)};
}

std::vector<std::string> FirstFolders(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (path.size() > 1) folders.insert(path.substr(0, path.find('/', 1)));
  }
  return {folders.begin(), folders.end()};
}

}  // namespace

net::ServerResponse FlagzResponse(const net::ServerRequest& request,
                                  const std::map<std::string, std::string>& flags) {
  const Form form = Negotiate(request.header("Accept"), "Flagz");
  if (form.kind == Form::Kind::kNone) return NotAcceptableResponse(request, kSupported);
  if (form.kind == Form::Kind::kText) {
    std::string text = Header("flagz");
    for (const auto& [name, value] : flags) {
      text += fmt::format("{}{}{}\n", name, kSeparator, value);
    }
    return PlainResponse(200, std::move(text));
  }
  JsonObject object = StartObject("Flagz", form.version);
  JsonObject& values = object["flags"].emplace_object();
  for (const auto& [name, value] : flags) values.emplace(name, value);
  return Structured(request, form, object, "flagz");
}

net::ServerResponse StatuszResponse(const net::ServerRequest& request, const StatusPage& page) {
  const Form form = Negotiate(request.header("Accept"), "Statusz");
  if (form.kind == Form::Kind::kNone) return NotAcceptableResponse(request, kSupported);
  const int64_t up = std::max<int64_t>(0, (page.now - page.started) / Duration::Seconds(1));
  const std::vector<std::string> paths = FirstFolders(page.paths);
  if (form.kind == Form::Kind::kText) {
    // A line without a value is printed as an empty line.
    std::string text = Header("statusz");
    const auto line = [&](std::string_view name, std::string_view value) {
      text += value.empty() ? "\n" : fmt::format("{}{} {}\n", name, kSeparator, value);
    };
    text += '\n';
    line("Started", UnixDate(page.started));
    line("Up", fmt::format("{} hr {:02} min {:02} sec", up / 3600, up / 60 % 60, up % 60));
    line("Go version", page.runtime);
    line("Binary version", page.binary_version);
    line("Emulation version", page.emulation_version);
    line("Paths", fmt::format("{}", fmt::join(paths, " ")));
    return PlainResponse(200, std::move(text));
  }
  JsonObject object = StartObject("Statusz", form.version);
  object.emplace("startTime", api::FormatTime(page.started));
  object.emplace("uptimeSeconds", up);
  object.emplace("goVersion", page.runtime);
  object.emplace("binaryVersion", page.binary_version);
  if (!page.emulation_version.empty()) object.emplace("emulationVersion", page.emulation_version);
  object.emplace("paths", JsonArray(paths.begin(), paths.end()));
  return Structured(request, form, object, "statusz");
}

namespace {

using Handler = Endpoints::Handler;

// kube-scheduler's debugging handlers omit the character set.
net::ServerResponse DebugResponse(int status, std::string text) {
  net::ServerResponse response = net::ServerResponse::Text(status, "text/plain", std::move(text));
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return response;
}

Handler WithReset(Handler show, std::function<void()> reset) {
  return [show = std::move(show), reset = std::move(reset)](const net::ServerRequest& request) {
    if (request.method != "DELETE" || !reset) return show(request);
    reset();
    return PlainResponse(200, "metrics reset\n");
  };
}

// Serves {"componentconfig": ...}, which does not change while the process runs.
Handler Configz(const scheduler::config::Configuration& configuration) {
  std::string text =
      fmt::format("{{\"componentconfig\":{}}}", scheduler::config::ToJsonText(configuration));
  return [text = std::move(text)](const net::ServerRequest&) {
    net::ServerResponse response = net::ServerResponse::Text(200, "application/json", text);
    response.headers.push_back({"X-Content-Type-Options", "nosniff"});
    return response;
  };
}

Handler SetVerbosity(observability::Logger& log) {
  return [&log](const net::ServerRequest& request) {
    if (request.method != "PUT") return DebugResponse(406, "unsupported http method");
    const auto level = flags::ParseLevel(request.body);
    if (!level) return DebugResponse(400, level.error().message);
    log.set_verbosity(*level);
    return DebugResponse(
        200, fmt::format("successfully set klog.logging.verbosity to {}", request.body));
  };
}

void AddDebugging(Endpoints& endpoints, observability::Logger& log) {
  // DIFFERS: there is no Go runtime to profile.
  const Handler no_profiles = [](const net::ServerRequest&) {
    return DebugResponse(501,
                         "Berth is not a Go program and has no pprof profiles; use perf on the "
                         "process instead.\n");
  };
  endpoints.Handle("/debug/pprof", no_profiles, false);
  endpoints.HandlePrefix("/debug/pprof/", no_profiles);
  const Handler index = [](const net::ServerRequest&) {
    return DebugResponse(200, "/debug/flags/v\n");
  };
  endpoints.Handle("/debug/flags", index, false);
  endpoints.HandlePrefix("/debug/flags/", index);
  endpoints.Handle("/debug/flags/v", SetVerbosity(log), false);
}

StatusPage PageNow(const EndpointSources& sources, std::vector<std::string> paths) {
  return {.started = sources.started,
          .now = sources.clock->Now(),
          .runtime = fmt::format("none (C++, gcc {})", __VERSION__),
          .binary_version = std::string(kKubernetesVersion),
          .emulation_version = std::string(kKubernetesMinorVersion),
          .paths = std::move(paths)};
}

}  // namespace

void Endpoints::Handle(std::string path, Handler handler, bool listed) {
  if (listed) listed_.push_back(path);
  exact_.insert_or_assign(std::move(path), std::move(handler));
}

void Endpoints::HandleSlowly(std::string path, Handler handler) {
  if (slow_requests_ == nullptr) slow_requests_ = std::make_shared<SlowRequests>();
  slow_.insert(path);
  Handle(std::move(path), std::move(handler));
}

void Endpoints::HandlePrefix(std::string prefix, Handler handler) {
  prefixes_.insert_or_assign(std::move(prefix), std::move(handler));
}

void Endpoints::HandleExchanges(std::string prefix, ExchangeHandler handler) {
  exchange_prefixes_.insert_or_assign(std::move(prefix), std::move(handler));
}

const Endpoints::ExchangeHandler* Endpoints::FindExchangeHandler(
    const net::ServerRequest& request) const {
  const std::string path = PathOf(request);
  for (const auto& [prefix, handler] : exchange_prefixes_) {
    if (path.starts_with(prefix)) return &handler;
  }
  return nullptr;
}

const Endpoints::Handler* Endpoints::Find(const std::string& path) const {
  if (const auto found = exact_.find(path); found != exact_.end()) return &found->second;
  const Handler* best = nullptr;
  // Longer prefixes come later and take precedence.
  for (const auto& [prefix, handler] : prefixes_) {
    if (path.starts_with(prefix)) best = &handler;
  }
  return best;
}

net::ServerResponse Endpoints::Serve(const net::ServerRequest& request) const {
  const Handler* handler = Find(PathOf(request));
  net::ServerResponse response = handler == nullptr ? NotFoundResponse() : (*handler)(request);
  return response;
}

void Endpoints::Serve(const net::ServerRequest& request,
                      const std::function<void(net::ServerResponse)>& done) const {
  if (!slow_.contains(PathOf(request))) return done(Serve(request));
  if (!slow_requests_->Post([this, &request, done] { done(Serve(request)); })) {
    done(PlainResponse(503, "too many requests for this path are waiting\n"));
  }
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
    endpoints.HandleSlowly("/metrics/resources", sources.metrics_resources);
  }
  if (sources.api) endpoints.HandleExchanges(kApiPrefix, sources.api);
  if (sources.dashboard) {
    endpoints.HandleExchanges(kDashboardPrefix, sources.dashboard);
    // Files are relative to the folder.
    endpoints.Handle(
        "/berth/dashboard",
        [](const net::ServerRequest&) {
          net::ServerResponse response = PlainResponse(308, "");
          response.headers.push_back({"Location", "dashboard/"});
          return response;
        },
        false);
  }
  if (sources.configuration.enable_profiling) AddDebugging(endpoints, *sources.log);
  if (sources.gates.IsOn("ComponentFlagz")) {
    endpoints.Handle("/flagz", [flags = sources.flags](const net::ServerRequest& request) {
      return FlagzResponse(request, flags);
    });
  }
  if (sources.gates.IsOn("ComponentStatusz")) {
    // It lists the paths registered so far.
    endpoints.Handle("/statusz",
                     [paths = endpoints.listed_paths(),
                      page_sources = std::move(sources)](const net::ServerRequest& request) {
                       return StatuszResponse(request, PageNow(page_sources, paths));
                     });
  }
  return endpoints;
}

}  // namespace berth::daemon
