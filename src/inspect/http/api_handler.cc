#include "inspect/http/api_handler.h"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observability/log.h"
#include "observability/thread_stacks.h"

namespace berth::inspect::http {
namespace {

// Reads a stream of events as the body of a response.
class EventBody final : public net::BodySource {
 public:
  explicit EventBody(std::shared_ptr<EventStream> stream) : stream_(std::move(stream)) {}

  State Read(size_t limit, std::vector<net::Piece>& out) override {
    std::string text = std::exchange(greeting_, {});
    text += stream_->Take(limit);
    if (text.empty()) return stream_->ended() ? State::kEnd : State::kWait;
    auto owner = std::make_shared<const std::string>(std::move(text));
    out.push_back({owner, *owner});
    return State::kMore;
  }

 private:
  const std::shared_ptr<EventStream> stream_;
  // How long clients wait before they reconnect.
  std::string greeting_ = "retry: 1000\n\n";
};

std::optional<uint64_t> LastEvent(const net::ServerRequest& request) {
  const std::string_view text = request.header("Last-Event-ID");
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

}  // namespace

net::ServerResponse ToHttp(Response response) {
  net::ServerResponse http =
      net::ServerResponse::Text(response.status, "application/json", std::move(response.body));
  http.headers.push_back({"Cache-Control", "no-store"});
  http.headers.push_back({"X-Content-Type-Options", "nosniff"});
  if (response.status == 429) http.headers.push_back({"Retry-After", "1"});
  if (response.status == 405) http.headers.push_back({"Allow", "GET"});
  return http;
}

ApiHandler::ApiHandler(std::unique_ptr<Inspector> inspector)
    : inspector_(std::move(inspector)), thread_([this] { Run(); }) {}

ApiHandler::~ApiHandler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ApiHandler::Handle(const std::shared_ptr<net::Exchange>& exchange) {
  const net::ServerRequest& http = exchange->request();
  if (http.method != "GET") {
    return exchange->Respond(ToHttp(Failure(405, "the API is read-only: only GET is supported")));
  }
  auto request = Request::Parse(http.target);
  if (!request) return exchange->Respond(ToHttp(Failure(400, request.error().message)));
  if (request->path.size() == 1 && request->path[0] == "events") return Stream(exchange, *request);
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kMaxWaiting) {
      waiting_.push_back({exchange, *std::move(request)});
      changed_.notify_one();
      return;
    }
  }
  exchange->Respond(ToHttp(Failure(429, "too many requests are waiting: try again later")));
}

void ApiHandler::Stream(const std::shared_ptr<net::Exchange>& exchange, const Request& request) {
  auto stream =
      events_.Follow(request, LastEvent(exchange->request()), [exchange] { exchange->Wake(); });
  if (!stream) return exchange->Respond(ToHttp(stream.error()));
  net::ServerResponse head = net::ServerResponse::Text(200, "text/event-stream", "");
  head.headers.push_back({"Cache-Control", "no-store"});
  head.headers.push_back({"X-Content-Type-Options", "nosniff"});
  exchange->Stream(std::move(head), std::make_unique<EventBody>(*std::move(stream)));
}

Response ApiHandler::Compute(const Waiting& waiting) {
  try {
    return inspector_->Handle(waiting.request);
  } catch (const std::exception& error) {
    LOG_ERROR(error.what(), "A request could not be answered",
              {{"path", waiting.exchange->request().target}});
    return Failure(500, fmt::format("the request could not be answered: {}", error.what()));
  }
}

void ApiHandler::Run() {
  observability::EnterThread("api");
  std::unique_lock lock(mutex_);
  for (;;) {
    heartbeat_->Rest();
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    heartbeat_->Wake();
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next.exchange->Respond(ToHttp(Compute(next)));
    lock.lock();
  }
}

}  // namespace berth::inspect::http
