#include "testing/http2_client.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "testing/require.h"

namespace berth {

namespace {

nghttp2_nv Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

Http2Client* Client(void* client) { return static_cast<Http2Client*>(client); }

}  // namespace

struct Http2Client::Callbacks {
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* client) {
    Http2Response& response = Client(client)->answers_[frame->hd.stream_id];
    std::string key(reinterpret_cast<const char*>(name), name_size);
    std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":status") {
      response.status = std::stoi(text);
    } else {
      response.headers.push_back({std::move(key), std::move(text)});
    }
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* client) {
    Client(client)->answers_[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t code, void* client) {
    Http2Response& response = Client(client)->answers_[id];
    response.closed = true;
    response.error = code;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* client) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Client(client)->goaway_ = frame->goaway.error_code;
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) {
      ++Client(client)->pongs_;
    }
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size,
                          uint32_t* flags, nghttp2_data_source*, void* client) {
    std::string& body = Client(client)->bodies_[id];
    const size_t taken = std::min(size, body.size());
    std::memcpy(buffer, body.data(), taken);
    body.erase(0, taken);
    if (body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }
  static ssize_t Defer(nghttp2_session*, int32_t, uint8_t*, size_t, uint32_t*, nghttp2_data_source*,
                       void*) {
    return NGHTTP2_ERR_DEFERRED;
  }
};

Http2Client::Http2Client(RawClient& client, std::optional<uint32_t> window)
    : client_(client), session_(nullptr, nghttp2_session_del) {
  nghttp2_session_callbacks* callbacks = nullptr;
  Require(nghttp2_session_callbacks_new(&callbacks) == 0, "nghttp2_session_callbacks_new failed");
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::OnClose);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::OnFrame);
  nghttp2_option* option = nullptr;
  Require(nghttp2_option_new(&option) == 0, "nghttp2_option_new failed");
  nghttp2_option_set_no_auto_window_update(option, window ? 1 : 0);
  nghttp2_session* session = nullptr;
  Require(nghttp2_session_client_new2(&session, callbacks, this, option) == 0,
          "nghttp2_session_client_new2 failed");
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 1> settings = {
      {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window.value_or(1 << 20)}}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  // The connection's window never matters.
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, 1 << 30);
  Flush();
}

Http2Client::~Http2Client() = default;

int32_t Http2Client::Send(const std::string& method, const std::string& path,
                          std::vector<net::HttpHeader> headers, std::optional<std::string> body) {
  std::vector<nghttp2_nv> fields = {Field(":method", method), Field(":path", path),
                                    Field(":scheme", "http"), Field(":authority", "localhost")};
  for (const auto& header : headers) fields.push_back(Field(header.name, header.value));
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::ReadBody;
  const int32_t id = nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                                            body ? &provider : nullptr, nullptr);
  Require(id > 0, "nghttp2_submit_request failed");
  if (body) bodies_[id] = *std::move(body);
  Flush();
  return id;
}

int32_t Http2Client::SendHead(const std::string& method, const std::string& path) {
  const std::vector<nghttp2_nv> fields = {Field(":method", method), Field(":path", path),
                                          Field(":scheme", "http"),
                                          Field(":authority", "localhost")};
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::Defer;
  const int32_t id = nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                                            &provider, nullptr);
  Flush();
  return id;
}

void Http2Client::Reset(int32_t stream) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  Flush();
}

void Http2Client::OpenWindow(int32_t stream, int32_t bytes) {
  nghttp2_submit_window_update(session_.get(), NGHTTP2_FLAG_NONE, stream, bytes);
  Flush();
}

void Http2Client::Ping() {
  nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
  Flush();
}

const Http2Response& Http2Client::Finish(int32_t stream) {
  EXPECT_TRUE(WaitUntil([&] { return answers_[stream].closed; })) << "stream " << stream;
  return answers_[stream];
}

bool Http2Client::WaitUntil(const std::function<bool()>& done) {
  while (!done()) {
    const std::string read = client_.ReadSome();
    if (read.empty()) return false;
    const ssize_t used = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const uint8_t*>(read.data()), read.size());
    EXPECT_EQ(used, static_cast<ssize_t>(read.size()));
    if (used < 0) return false;
    Flush();
  }
  return true;
}

uint32_t Http2Client::max_concurrent_streams() const {
  return nghttp2_session_get_remote_settings(session_.get(),
                                             NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

void Http2Client::Flush() {
  const uint8_t* bytes = nullptr;
  std::string out;
  ssize_t size = 0;
  while ((size = nghttp2_session_mem_send(session_.get(), &bytes)) > 0) {
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
  client_.Send(out);
}

}  // namespace berth
