#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <utility>
#include <vector>

#include "net/openssl_handles.h"

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
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context->native_handle(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context->native_handle(), 1);
  if (auto status = UseAuthorities(*context, options); !status) {
    return std::unexpected(status.error());
  }
  if (auto status = UseCertificate(*context, options); !status) {
    return std::unexpected(status.error());
  }
  return context;
}

void ExpectServer(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* const checks = SSL_get0_param(session);
  boost::system::error_code not_address;
  boost::asio::ip::make_address(name, not_address);
  if (!not_address) {
    X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str());
    return;
  }
  SSL_set_tlsext_host_name(session, name.c_str());
  // As in Go, the subject's common name is ignored.
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set1_host(checks, name.c_str(), name.size());
}

namespace {

std::vector<std::string> FilesOf(const TlsOptions& options) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& file, const std::string& data) {
    if (data.empty() && !file.empty()) files.push_back(file);
  };
  add(options.ca_file, options.ca_data);
  add(options.cert_file, options.cert_data);
  add(options.key_file, options.key_data);
  return files;
}

// Returns a value that changes when a file is written or replaced, also behind a link.
std::string StampOf(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return "none";
  return fmt::format("{}:{}:{}:{}.{}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string StampsOf(const TlsOptions& options) {
  std::string stamps;
  for (const std::string& file : FilesOf(options)) stamps += StampOf(file) + " ";
  return stamps;
}

}  // namespace

Result<TlsSource> TlsSource::Create(TlsOptions options) {
  // Before the files are read, so that later writes are noticed.
  std::string stamps = StampsOf(options);
  auto context = MakeTlsContext(options);
  if (!context) return std::unexpected(context.error());
  return TlsSource(std::move(options), *std::move(context), std::move(stamps));
}

TlsSource::TlsSource(TlsOptions options, std::shared_ptr<ssl::context> context, std::string stamps)
    : options_(std::move(options)), context_(std::move(context)), stamps_(std::move(stamps)) {}

std::shared_ptr<ssl::context> TlsSource::Current() {
  std::string stamps = StampsOf(options_);
  if (stamps == stamps_) return context_;
  stamps_ = std::move(stamps);
  // Certificate and key change one after the other: a mismatched pair is ignored until the next
  // change.
  if (auto renewed = MakeTlsContext(options_)) context_ = *std::move(renewed);
  return context_;
}

}  // namespace berth::net
