#include "net/client_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "net/gzip.h"

namespace berth::net {

namespace {

// A longer body is given room as it comes: a length alone must not cost memory.
constexpr size_t kMaxReserve = 1 << 20;

std::unexpected<HttpError> Named(const std::string& name, HttpError error) {
  error.message = fmt::format("{}: {}", name, error.message);
  return std::unexpected(std::move(error));
}

class WholeAnswer final : public ClientAnswer {
 public:
  WholeAnswer(WholeAnswerOptions options, HttpClient::Callback callback)
      : options_(std::move(options)), callback_(std::move(callback)) {}

  bool Head(int status, std::vector<HttpHeader> headers) override {
    response_.status = status;
    response_.headers = std::move(headers);
    const std::string_view length = response_.header("Content-Length");
    size_t size = 0;
    std::from_chars(length.data(), length.data() + length.size(), size);
    too_long_ = size > options_.max_body_bytes;
    if (!too_long_) response_.body.reserve(std::min(size, kMaxReserve));
    return !too_long_;
  }

  bool Data(std::string_view bytes) override {
    too_long_ = bytes.size() > options_.max_body_bytes - response_.body.size();
    if (!too_long_) response_.body.append(bytes);
    return !too_long_;
  }

  void End(HttpResult<void> result) override {
    if (result && options_.gzip) result = Unpack();
    if (too_long_) {
      result = std::unexpected(
          HttpError{HttpError::Kind::kBroken,
                    fmt::format("the answer is longer than {} bytes", options_.max_body_bytes)});
    }
    if (!result) return callback_(Named(options_.name, std::move(result).error()));
    callback_(std::move(response_));
  }

 private:
  HttpResult<void> Unpack() {
    if (!EqualIgnoringCase(response_.header("Content-Encoding"), "gzip")) return {};
    // The answer to a HEAD request has no body to unpack.
    if (response_.body.empty()) return {};
    auto body = Gunzip(response_.body, options_.max_body_bytes);
    if (!body) return std::unexpected(HttpError{HttpError::Kind::kBroken, body.error().message});
    response_.body = *std::move(body);
    std::erase_if(response_.headers, [](const HttpHeader& header) {
      return EqualIgnoringCase(header.name, "Content-Encoding") ||
             EqualIgnoringCase(header.name, "Content-Length");
    });
    return {};
  }

  const WholeAnswerOptions options_;
  const HttpClient::Callback callback_;
  HttpResponse response_;
  bool too_long_ = false;
};

class StreamedAnswer final : public ClientAnswer {
 public:
  StreamedAnswer(std::string name, ResponseStream stream)
      : name_(std::move(name)), stream_(std::move(stream)) {}

  bool Head(int status, std::vector<HttpHeader> headers) override {
    if (stream_.on_head) stream_.on_head(status, headers);
    return true;
  }

  bool Data(std::string_view bytes) override {
    if (stream_.on_data && !bytes.empty()) stream_.on_data(bytes);
    return true;
  }

  void End(HttpResult<void> result) override {
    if (!result) result = Named(name_, std::move(result).error());
    if (stream_.on_end) stream_.on_end(std::move(result));
  }

 private:
  const std::string name_;
  const ResponseStream stream_;
};

}  // namespace

std::unique_ptr<ClientAnswer> MakeWholeAnswer(WholeAnswerOptions options,
                                              HttpClient::Callback callback) {
  return std::make_unique<WholeAnswer>(std::move(options), std::move(callback));
}

std::unique_ptr<ClientAnswer> MakeStreamedAnswer(std::string name, ResponseStream stream) {
  return std::make_unique<StreamedAnswer>(std::move(name), std::move(stream));
}

}  // namespace berth::net
