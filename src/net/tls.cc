#include "net/tls.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>

#include "net/pem.h"

namespace berth::net {

namespace {

namespace ssl = boost::asio::ssl;

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
  const auto ca = ReadPem("ca", options.ca_data, options.ca_file);
  if (!ca) return std::unexpected(ca.error());
  context.add_certificate_authority(boost::asio::buffer(ca->text), error);
  return CheckPem(error, *ca, "a PEM certificate");
}

Status UseCertificate(ssl::context& context, const TlsOptions& options) {
  const auto cert = ReadPem("cert", options.cert_data, options.cert_file);
  if (!cert) return std::unexpected(cert.error());
  const auto key = ReadPem("key", options.key_data, options.key_file);
  if (!key) return std::unexpected(key.error());
  if (cert->text.empty() || key->text.empty()) return {};
  boost::system::error_code error;
  context.use_certificate_chain(boost::asio::buffer(cert->text), error);
  if (auto status = CheckPem(error, *cert, "a PEM certificate"); !status) return status;
  context.use_private_key(boost::asio::buffer(key->text), ssl::context::pem, error);
  if (auto status = CheckPem(error, *key, "the PEM key of the certificate"); !status) return status;
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
