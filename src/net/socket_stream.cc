#include "net/socket_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "net/tls.h"

namespace berth::net {

namespace {

constexpr size_t kMaxBuffers = 64;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

class PlainStream final : public SocketStream {
 public:
  explicit PlainStream(int socket) : socket_(socket) {}

  State Handshake() override { return State::kDone; }
  bool is_http2() const override { return false; }
  void Describe(Peer&) const override {}

  Progress Read(std::span<char> into) override {
    for (;;) {
      const ssize_t size = ::recv(socket_, into.data(), into.size(), 0);
      if (size > 0) return {State::kDone, static_cast<size_t>(size)};
      if (size == 0) return {State::kEnd, 0};
      if (WouldBlock()) return {State::kWantRead, 0};
      if (errno != EINTR) {
        error_ = errno;
        return {State::kFailed, 0};
      }
    }
  }

  bool has_buffered() const override { return false; }

  State Write(Outgoing& out) override {
    while (!out.empty()) {
      std::array<iovec, kMaxBuffers> buffers;
      msghdr message{};
      message.msg_iov = buffers.data();
      message.msg_iovlen = out.Gather(buffers);
      const ssize_t size = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
      if (size >= 0) {
        out.Consume(static_cast<size_t>(size));
      } else if (WouldBlock()) {
        return State::kWantWrite;
      } else if (errno != EINTR) {
        error_ = errno;
        return State::kFailed;
      }
    }
    return State::kDone;
  }

  StreamProblem problem() const override { return {.tls = false, .text = SystemErrorText(error_)}; }
  void SayGoodbye() override { ::shutdown(socket_, SHUT_WR); }

 private:
  const int socket_;
  int error_ = 0;
};

}  // namespace

std::string SystemErrorText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
  return text;
}

std::unique_ptr<SocketStream> MakePlainStream(int socket) {
  return std::make_unique<PlainStream>(socket);
}

namespace {

namespace ssl = boost::asio::ssl;

// The offered protocols in ALPN's encoding: each with its length.
constexpr std::string_view kOfferedProtocols = "\x02h2\x08http/1.1";

// The size of a TLS record.
constexpr size_t kRecord = 16 << 10;

int SocketOf(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }

bool MayRetry() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int WriteBio(BIO* bio, const char* data, int size) {
  const ssize_t sent = ::send(SocketOf(bio), data, static_cast<size_t>(size), MSG_NOSIGNAL);
  BIO_clear_retry_flags(bio);
  if (sent < 0 && MayRetry()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int ReadBio(BIO* bio, char* data, int size) {
  const ssize_t received = ::recv(SocketOf(bio), data, static_cast<size_t>(size), 0);
  BIO_clear_retry_flags(bio);
  if (received < 0 && MayRetry()) BIO_set_retry_read(bio);
  if (received == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(received);
}

long ControlBio(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

// OpenSSL's own socket BIO raises SIGPIPE when the peer is gone.
BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
    CHECK(method != nullptr);
    BIO_meth_set_write(method, WriteBio);
    BIO_meth_set_read(method, ReadBio);
    BIO_meth_set_ctrl(method, ControlBio);
    return method;
  }();
  return kMethod;
}

std::string TextOf(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  std::string copy(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return copy;
}

std::vector<std::string> Entries(const X509_NAME* name, int kind) {
  std::vector<std::string> found;
  for (int at = X509_NAME_get_index_by_NID(name, kind, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, kind, at)) {
    found.push_back(TextOf(X509_NAME_get_entry(name, at)));
  }
  return found;
}

std::string DerOf(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  if (size < 0) return {};
  std::string copy(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return copy;
}

std::shared_ptr<const std::vector<std::string>> ShownCertificates(SSL* session) {
  X509* const own = SSL_get0_peer_certificate(session);
  if (own == nullptr) return nullptr;
  auto shown = std::make_shared<std::vector<std::string>>();
  shown->push_back(DerOf(own));
  // On a server, the chain does not contain the peer's own certificate.
  const STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(session);
  for (int i = 0; i < sk_X509_num(chain); ++i) shown->push_back(DerOf(sk_X509_value(chain, i)));
  return shown;
}

class TlsStream final : public SocketStream {
 public:
  TlsStream(int socket, const ServerTls& tls)
      : TlsStream(socket, tls.context(), tls.verifies_clients()) {
    shows_any_ = tls.any_client_certificate();
    SSL_set_accept_state(session_.get());
  }

  TlsStream(int socket, const TlsClientSide& side) : TlsStream(socket, side.tls, false) {
    ExpectServer(session_.get(), side.name);
    if (side.http2) {
      SSL_set_alpn_protos(session_.get(),
                          reinterpret_cast<const unsigned char*>(kOfferedProtocols.data()),
                          kOfferedProtocols.size());
    }
    SSL_set_connect_state(session_.get());
  }

  State Handshake() override {
    ERR_clear_error();
    const int status = SSL_do_handshake(session_.get());
    return status == 1 ? State::kDone : StateOf(status);
  }

  bool is_http2() const override {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(session_.get(), &name, &size);
    return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
  }

  void Describe(Peer& peer) const override {
    if (shows_any_) peer.certificates = ShownCertificates(session_.get());
    const X509* const certificate = SSL_get0_peer_certificate(session_.get());
    if (!verifies_ || certificate == nullptr) return;
    if (SSL_get_verify_result(session_.get()) != X509_V_OK) return;
    const X509_NAME* const subject = X509_get_subject_name(certificate);
    const auto names = Entries(subject, NID_commonName);
    if (!names.empty()) peer.common_name = names.front();
    peer.organizations = Entries(subject, NID_organizationName);
  }

  Progress Read(std::span<char> into) override {
    ERR_clear_error();
    size_t size = 0;
    const int status = SSL_read_ex(session_.get(), into.data(), into.size(), &size);
    if (status == 1) return {State::kDone, size};
    return {StateOf(status), 0};
  }

  bool has_buffered() const override { return SSL_has_pending(session_.get()) == 1; }

  State Write(Outgoing& out) override {
    while (!out.empty()) {
      // After a partial write OpenSSL requires the same bytes again, which this provides.
      std::array<char, kRecord> copy;
      const std::string_view next = NextRecord(out, copy);
      ERR_clear_error();
      size_t written = 0;
      const int status = SSL_write_ex(session_.get(), next.data(), next.size(), &written);
      if (status != 1) return StateOf(status);
      out.Consume(written);
    }
    return State::kDone;
  }

  StreamProblem problem() const override { return problem_; }

  void SayGoodbye() override {
    ERR_clear_error();
    SSL_shutdown(session_.get());
    ::shutdown(socket_, SHUT_WR);
  }

 private:
  TlsStream(int socket, ssl::context& context, bool verifies)
      : socket_(socket), verifies_(verifies), session_(SSL_new(context.native_handle()), SSL_free) {
    CHECK(session_ != nullptr);
    BIO* const bio = BIO_new(SocketMethod());
    CHECK(bio != nullptr);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the data of a BIO is a pointer.
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket)));
    BIO_set_init(bio, 1);
    SSL_set_bio(session_.get(), bio, bio);
  }

  // Returns the bytes of the next record in one piece: in place, or assembled in `copy`.
  static std::string_view NextRecord(const Outgoing& out, std::span<char> copy) {
    constexpr size_t kMaxParts = 32;
    std::array<iovec, kMaxParts> parts;
    const size_t count = out.Gather(parts);
    if (count == 1 || parts[0].iov_len >= copy.size()) {
      return {static_cast<const char*>(parts[0].iov_base), std::min(parts[0].iov_len, copy.size())};
    }
    size_t size = 0;
    for (const iovec& part : std::span(parts).first(count)) {
      const size_t taken = std::min(part.iov_len, copy.size() - size);
      std::memcpy(copy.data() + size, part.iov_base, taken);
      size += taken;
    }
    return {copy.data(), size};
  }

  State StateOf(int status) {
    const int error_number = errno;
    const int error = SSL_get_error(session_.get(), status);
    switch (error) {
      case SSL_ERROR_WANT_READ:
        return State::kWantRead;
      case SSL_ERROR_WANT_WRITE:
        return State::kWantWrite;
      case SSL_ERROR_ZERO_RETURN:
        return State::kEnd;
      default:
        problem_ = ProblemOf(error, error_number);
        return State::kFailed;
    }
  }

  StreamProblem ProblemOf(int error, int error_number) const {
    const unsigned long reason = ERR_peek_error();
    if (error == SSL_ERROR_SYSCALL && reason == 0) {
      return {.tls = false, .text = error_number == 0 ? "" : SystemErrorText(error_number)};
    }
    // The connection ended without TLS's close_notify.
    if (ERR_GET_REASON(reason) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return {};
    const long verified = SSL_get_verify_result(session_.get());
    if (ERR_GET_REASON(reason) == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
      return {.tls = true,
              .text = std::string("TLS: certificate verify failed (") +
                      X509_verify_cert_error_string(verified) + ")"};
    }
    const char* const text = ERR_reason_error_string(reason);
    return {.tls = true, .text = std::string("TLS: ") + (text != nullptr ? text : "it failed")};
  }

  const int socket_;
  const bool verifies_;
  bool shows_any_ = false;  // Peer::certificates has the unverified chain.
  const std::unique_ptr<SSL, void (*)(SSL*)> session_;
  StreamProblem problem_;
};

}  // namespace

std::unique_ptr<SocketStream> MakeTlsStream(int socket, const ServerTls& tls) {
  return std::make_unique<TlsStream>(socket, tls);
}

std::unique_ptr<SocketStream> MakeTlsStream(int socket, const TlsClientSide& side) {
  return std::make_unique<TlsStream>(socket, side);
}

}  // namespace berth::net
