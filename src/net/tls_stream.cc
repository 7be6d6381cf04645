#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "net/server_stream.h"

namespace berth::net {

namespace {

// What one TLS record holds.
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

// OpenSSL's own socket BIO raises SIGPIPE when the peer has gone.
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
  // At a server, the chain is without the peer's own.
  const STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(session);
  for (int i = 0; i < sk_X509_num(chain); ++i) shown->push_back(DerOf(sk_X509_value(chain, i)));
  return shown;
}

class TlsStream final : public ServerStream {
 public:
  TlsStream(int socket, const ServerTls& tls)
      : socket_(socket),
        verifies_(tls.verifies_clients()),
        shows_any_(tls.any_client_certificate()),
        session_(SSL_new(tls.context().native_handle()), SSL_free) {
    CHECK(session_ != nullptr);
    BIO* const bio = BIO_new(SocketMethod());
    CHECK(bio != nullptr);
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket)));
    BIO_set_init(bio, 1);
    SSL_set_bio(session_.get(), bio, bio);
    SSL_set_accept_state(session_.get());
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
      // After a write that was cut short the same bytes must come again, and do.
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

  void SayGoodbye() override {
    ERR_clear_error();
    SSL_shutdown(session_.get());
    ::shutdown(socket_, SHUT_WR);
  }

 private:
  // As much as fits into a record, in one piece: where it is, or put together in `copy`.
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

  State StateOf(int status) const {
    switch (SSL_get_error(session_.get(), status)) {
      case SSL_ERROR_WANT_READ:
        return State::kWantRead;
      case SSL_ERROR_WANT_WRITE:
        return State::kWantWrite;
      case SSL_ERROR_ZERO_RETURN:
        return State::kEnd;
      default:
        return State::kFailed;
    }
  }

  const int socket_;
  const bool verifies_;
  const bool shows_any_;
  const std::unique_ptr<SSL, void (*)(SSL*)> session_;
};

}  // namespace

std::unique_ptr<ServerStream> MakeTlsStream(int socket, const ServerTls& tls) {
  return std::make_unique<TlsStream>(socket, tls);
}

}  // namespace berth::net
