#include "client/port_forward.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "client/api_status.h"
#include "client/escaping.h"
#include "client/rest_call.h"
#include "net/web_socket_pipe.h"

namespace berth::client {
namespace {

constexpr char kDataChannel = 0;
constexpr char kErrorChannel = 1;
constexpr const char* kSubprotocol = "v4.channel.k8s.io";

// The certificate of a credential replaces the configured one.
net::TlsOptions WithCertificate(net::TlsOptions tls, const Credential& credential) {
  if (credential.certificate.empty()) return tls;
  tls.cert_file.clear();
  tls.key_file.clear();
  tls.cert_data = credential.certificate;
  tls.key_data = credential.key;
  return tls;
}

}  // namespace

struct PortForward::Parts : std::enable_shared_from_this<Parts> {
  Parts(net::EventLoop& event_loop, ClientConfig client_config)
      : loop(event_loop), config(std::move(client_config)) {}

  int Dial() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return -1;
    if (config.credentials == nullptr) {
      Open(ends[1], {});
    } else {
      config.credentials->Get([self = shared_from_this(), far_end = ends[1]](auto credential) {
        if (credential) return self->Open(far_end, *credential);
        self->Report(credential.error().message);
        ::close(far_end);
      });
    }
    return ends[0];
  }

  void Open(int far_end, const Credential& credential) {
    net::WebSocketPipeOptions options{.request = ToClientRequest(request, config, credential),
                                      .subprotocol = kSubprotocol,
                                      .tls = WithCertificate(config.tls, credential),
                                      .prefix = std::string(1, kDataChannel),
                                      .unwrap = {},
                                      .on_failure = {}};
    const auto channels = std::make_shared<PortForwardChannels>();
    options.unwrap = [self = shared_from_this(), channels](std::string_view message) {
      const std::string_view bytes = channels->Receive(message);
      if (!channels->error().empty()) self->Report(channels->error());
      return bytes;
    };
    options.on_failure = [self = shared_from_this()](const auto& why) {
      self->Report(Describe(self->request, why));
    };
    if (Status status = net::OpenWebSocketPipe(loop, far_end, std::move(options)); !status) {
      Report(status.error().message);
    }
  }

  void Report(std::string why) {
    const std::lock_guard lock(mutex);
    problem = std::move(why);
  }

  net::EventLoop& loop;
  const ClientConfig config;
  RestRequest request;
  std::mutex mutex;
  std::string problem;  // Guarded by the mutex.
};

PortForward::PortForward(net::EventLoop& loop, ClientConfig config, const api::ObjectKey& pod,
                         uint16_t port)
    : parts_(std::make_shared<Parts>(loop, std::move(config))) {
  parts_->request.path = fmt::format("/api/v1/namespaces/{}/pods/{}/portforward?ports={}",
                                     QueryEscape(pod.namespace_), QueryEscape(pod.name), port);
  // The API server passes headers on to the kubelet, which answers 406 to all types but "*/*".
  parts_->request.accept.clear();
}

std::function<int()> PortForward::dialer() const {
  return [parts = parts_] { return parts->Dial(); };
}

std::string PortForward::problem() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->problem;
}

std::string_view PortForwardChannels::Receive(std::string_view message) {
  if (message.empty()) return {};
  const char channel = message.front();
  message.remove_prefix(1);
  if (channel != kDataChannel && channel != kErrorChannel) return {};
  size_t& left = port_bytes_left_[channel == kDataChannel ? 0 : 1];
  const size_t skipped = std::min(left, message.size());
  left -= skipped;
  message.remove_prefix(skipped);
  if (channel == kDataChannel) return message;
  error_ += message.substr(0, kMaxErrorBytes - std::min(kMaxErrorBytes, error_.size()));
  return {};
}

}  // namespace berth::client
