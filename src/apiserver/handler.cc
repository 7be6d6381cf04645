#include "apiserver/handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "apiserver/crd/custom_resource.h"
#include "apiserver/crd/validation_work.h"
#include "apiserver/list.h"
#include "apiserver/negotiation.h"
#include "apiserver/request_options.h"
#include "apiserver/rest_handlers.h"
#include "apiserver/selectors.h"
#include "apiserver/watch.h"

namespace berth::apiserver {
namespace {

// The default timeout of watches.
constexpr Duration kWatchTimeout = Duration::Seconds(3600);
constexpr int64_t kMaxTimeoutSeconds = 24 * 3600;

std::string FieldSelectorOf(const RequestInfo& info, const ListOptions& options) {
  if (info.name.empty()) return options.field_selector;
  std::string name;
  for (const char c : info.name) {
    if (c == ',' || c == '=' || c == '\\') name += '\\';
    name += c;
  }
  return fmt::format("metadata.name={},{}", name, options.field_selector);
}

Duration TimeoutOf(const ListOptions& options) {
  const int64_t seconds = options.timeout_seconds.value_or(0);
  if (seconds <= 0) return kWatchTimeout;
  return Duration::Seconds(std::min(seconds, kMaxTimeoutSeconds));
}

api::scheme::ApiResult<WatchPlan> PlanWatch(const store::Store& store, const RequestInfo& info,
                                            ObjectForm form) {
  const auto options = ReadListOptions(info.query, true);
  if (!options) return std::unexpected(options.error());
  auto selector =
      ObjectSelector::Make(*info.kind, options->label_selector, FieldSelectorOf(info, *options));
  if (!selector) return std::unexpected(selector.error());
  WatchPlan plan{.form = std::move(form),
                 .namespace_ = info.namespace_,
                 .selector = *std::move(selector),
                 .initial = {},
                 .bookmarks = options->allow_bookmarks,
                 .timeout = TimeoutOf(*options),
                 .lease = nullptr};
  const store::Version requested = options->resource_version.value_or(0);
  if (!options->send_initial_events.value_or(requested == 0)) {
    plan.from = requested == 0 ? store.version() : requested;
    return plan;
  }
  if (requested > store.version())
    return std::unexpected(TooLargeVersion(requested, store.version()));
  store::ListResult now = SnapshotPart(store, *info.kind, info.namespace_, plan.selector, {});
  plan.initial = std::move(now.objects);
  plan.more_initial = now.more;
  plan.initial_end_bookmark = options->allow_bookmarks;
  plan.from = now.version;
  plan.visible = now.version;
  return plan;
}

// Calls `serve`. An exception, such as std::bad_alloc, fails the request instead of the process.
template <typename Serve>
auto Guarded(Serve serve) -> decltype(serve()) {
  try {
    return serve();
  } catch (const std::exception& exception) {
    return std::unexpected(api::scheme::InternalError(exception.what()));
  }
}

// Whether the writes that a response depends on are stored is known only after a restart. Clients
// treat a timeout as an unknown outcome.
net::ServerResponse UnknownOutcome(const Error& error) {
  return ErrorResponse(api::scheme::MakeError(
      504, "Timeout: the outcome of the request is unknown: " + error.message));
}

// The response to a write that was cancelled before it was stored.
net::ServerResponse Stopping() {
  return ErrorResponse(
      api::scheme::MakeError(503, "ServiceUnavailable: the server is shutting down"));
}

std::string_view VerbOf(const RequestInfo& info) {
  return info.kind == nullptr ? "get" : VerbName(info.verb);
}

std::string ResourceOf(const RequestInfo& info) {
  return info.kind == nullptr ? "" : ResourceLabel(*info.kind);
}

}  // namespace

Handler::Handler(registry::Api& api, registry::Access access, const Clock& clock,
                 const Clock& steady_clock)
    : api_(api),
      access_(std::move(access)),
      clock_(clock),
      steady_clock_(steady_clock),
      non_resource_paths_(api.store(), *metrics_) {}

void Handler::Handle(std::shared_ptr<net::Exchange> exchange) {
  const net::ServerRequest& request = exchange->request();
  const auto kinds = api_.kinds();
  const auto info = Guarded([&] { return ReadRequest(request.method, request.target, *kinds); });
  const bool health = info && info->kind == nullptr && NonResourcePaths::IsHealth(info->path);
  const auto user = Guarded([&] { return Authenticate(access_, request); });
  if (!user && !health) {
    metrics_->CountRequest("get", "", user.error().code);
    return exchange->Respond(ErrorResponse(user.error()));
  }
  if (!info) {
    metrics_->CountRequest("get", "", info.error().code);
    return exchange->Respond(ErrorResponse(info.error()));
  }
  if (info->kind != nullptr) return ServeKind(std::move(exchange), *info, *user);
  if (const auto delegation = FindDelegation(info->path)) {
    return delegation->handler(std::move(exchange));
  }
  auto response = Guarded([&] { return non_resource_paths_.Serve(*info, request, *kinds); });
  if (!response) response = ErrorResponse(response.error());
  metrics_->CountRequest("get", "", response->status);
  exchange->Respond(*std::move(response));
}

void Handler::Delegate(std::string prefix, net::RequestHandler handler) {
  auto delegation = std::make_shared<const Delegation>(std::move(prefix), std::move(handler));
  const std::lock_guard lock(mutex_);
  delegation_ = std::move(delegation);
}

std::shared_ptr<const Handler::Delegation> Handler::FindDelegation(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  return delegation_ != nullptr && path.starts_with(delegation_->prefix) ? delegation_ : nullptr;
}

std::optional<net::ServerResponse> Handler::Admit(const net::ServerRequest& head) const {
  const auto user = Authenticate(access_, head);
  if (user) return std::nullopt;
  metrics_->CountRequest("get", "", user.error().code);
  return ErrorResponse(user.error());
}

void Handler::ServeKind(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                        const registry::User& user) {
  const net::ServerRequest& request = exchange->request();
  // An error may depend on any version up to the store's current one, so it waits for that.
  const auto fail = [&](const api::scheme::ApiError& error) {
    Finish(exchange, info, {ErrorResponse(error), api_.store().version()});
  };
  if (request.body.size() > kMaxBodyBytes) return fail(BodyTooLarge());
  auto form = Guarded(
      [&] { return ObjectForm::Make(info.kind, request.header("Accept"), info.query, clock_); });
  if (!form) return fail(form.error());
  if (info.verb == Verb::kWatch) {
    const auto started = StartWatch(exchange, info, *std::move(form));
    if (!started) fail(started.error());
    return;
  }
  crd::ValidationWork work(SlowWrites::kEasyWork);
  VersionedResponse versioned = Execute(request, info, user, *form);
  // Otherwise nothing has been stored.
  if (!work.exceeded()) return Finish(std::move(exchange), info, std::move(versioned));
  ExecuteSlowly(std::move(exchange), info, user, *std::move(form));
}

VersionedResponse Handler::Execute(const net::ServerRequest& request, const RequestInfo& info,
                                   const registry::User& user, const ObjectForm& form) {
  std::vector<std::string> warnings;
  if (const crd::CustomVersion* version = crd::VersionOf(*info.kind)) {
    if (!version->deprecation_warning.empty()) warnings.push_back(version->deprecation_warning);
  }
  store::Scratch scratch;
  auto versioned = Guarded(
      [&] { return ServeObjects({api_, info, request, user, access_, form, warnings, scratch}); });
  if (!versioned) return {ErrorResponse(versioned.error()), api_.store().version()};
  AddWarnings(warnings, versioned->response);
  return *std::move(versioned);
}

void Handler::ExecuteSlowly(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                            const registry::User& user, ObjectForm form) {
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  exchange->OnAbandoned([cancelled] { *cancelled = true; });
  const auto execute = [this, exchange, info, user, form = std::move(form), cancelled] {
    crd::ValidationWork work(SlowWrites::kMaxWork, cancelled.get());
    VersionedResponse versioned = Execute(exchange->request(), info, user, form);
    if (work.exceeded() && *cancelled) versioned.response = Stopping();
    Finish(exchange, info, std::move(versioned));
  };
  if (slow_writes_.Add(info.namespace_, cancelled, execute)) return;
  auto busy = api::scheme::TooManyRequests(
      "no more writes with expensive validation are accepted now: try again later");
  Finish(std::move(exchange), info, {ErrorResponse(busy), api_.store().version()});
}

void Handler::Finish(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                     VersionedResponse versioned) {
  metrics_->CountRequest(VerbOf(info), ResourceOf(info), versioned.response.status);
  const auto response = std::make_shared<net::ServerResponse>(std::move(versioned.response));
  api_.store().WhenVisible(versioned.version,
                           [exchange = std::move(exchange), response](const Status& visible) {
                             if (visible) return exchange->Respond(std::move(*response));
                             exchange->Respond(UnknownOutcome(visible.error()));
                           });
}

api::scheme::ApiResult<void> Handler::StartWatch(const std::shared_ptr<net::Exchange>& exchange,
                                                 const RequestInfo& info, ObjectForm form) {
  auto plan = Guarded([&] { return PlanWatch(api_.store(), info, std::move(form)); });
  if (!plan) return std::unexpected(plan.error());
  metrics_->CountRequest(VerbName(info.verb), ResourceOf(info), 200);
  plan->lease = metrics_->OpenWatch(ResourceOf(info));
  const store::Version version = plan->visible;
  const net::ServerResponse head = ResponseHead(200, plan->form, true);
  auto source = std::make_shared<std::unique_ptr<WatchSource>>(
      std::make_unique<WatchSource>(*std::move(plan), api_.store(), steady_clock_, exchange));
  api_.store().WhenVisible(version, [exchange, source, head](const Status& visible) {
    if (visible) return exchange->Stream(head, std::move(*source));
    exchange->Respond(UnknownOutcome(visible.error()));
  });
  return {};
}

}  // namespace berth::apiserver
