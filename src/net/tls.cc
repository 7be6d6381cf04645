#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace berth::net {

namespace {

namespace ssl = boost::asio::ssl;

// PEM text and where it came from, for error messages.
struct Pem {
  std::string text;
  std::string source;
};

// `name` is "ca", "cert" or "key".
Result<Pem> Read(const char* name, const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return Pem{data, fmt::format("{}Data", name)};
  const std::string source = fmt::format("{}File \"{}\"", name, file);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               std::fclose);
  std::string text;
  std::array<char, 4096> piece;
  while (stream != nullptr) {
    const size_t size = std::fread(piece.data(), 1, piece.size(), stream.get());
    text.append(piece.data(), size);
    if (size < piece.size()) break;
  }
  if (stream == nullptr || std::ferror(stream.get()) != 0) {
    return Fail(fmt::format("{}: {}", source, std::generic_category().message(errno)));
  }
  return Pem{std::move(text), source};
}

Status Check(const boost::system::error_code& error, const Pem& pem, const char* what) {
  if (!error) return {};
  return Fail(fmt::format("{}: this is not {}: {}", pem.source, what, error.message()));
}

Status UseAuthorities(ssl::context& context, const TlsOptions& options) {
  if (options.insecure) {
    context.set_verify_mode(ssl::verify_none);
    return {};
  }
  context.set_verify_mode(ssl::verify_peer);
  boost::system::error_code error;
  if (!options.has_ca()) {
    context.set_default_verify_paths(error);
    return error ? Fail("the system's authorities: " + error.message()) : Status();
  }
  const auto ca = Read("ca", options.ca_data, options.ca_file);
  if (!ca) return std::unexpected(ca.error());
  context.add_certificate_authority(boost::asio::buffer(ca->text), error);
  return Check(error, *ca, "a PEM certificate");
}

Status UseCertificate(ssl::context& context, const TlsOptions& options) {
  const auto cert = Read("cert", options.cert_data, options.cert_file);
  if (!cert) return std::unexpected(cert.error());
  const auto key = Read("key", options.key_data, options.key_file);
  if (!key) return std::unexpected(key.error());
  if (cert->text.empty() || key->text.empty()) return {};
  boost::system::error_code error;
  context.use_certificate_chain(boost::asio::buffer(cert->text), error);
  if (auto status = Check(error, *cert, "a PEM certificate"); !status) return status;
  context.use_private_key(boost::asio::buffer(key->text), ssl::context::pem, error);
  if (auto status = Check(error, *key, "the PEM key of the certificate"); !status) return status;
  return {};
}

}  // namespace

Result<std::shared_ptr<ssl::context>> MakeTlsContext(const TlsOptions& options) {
  if (options.insecure && options.has_ca()) {
    return Fail("specifying a root certificates file with the insecure flag is not allowed");
  }
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (auto status = UseAuthorities(*context, options); !status) {
    return std::unexpected(status.error());
  }
  if (auto status = UseCertificate(*context, options); !status) {
    return std::unexpected(status.error());
  }
  return context;
}

}  // namespace berth::net
