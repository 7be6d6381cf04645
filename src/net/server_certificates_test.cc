#include "net/server_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <fstream>

#include "net/certificates.h"
#include "testing/temporary_directory.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

// What a client that requests `name` sees of a server, over a connection in memory.
struct ClientView {
  std::string problem;
  std::string authority;  // The common name of the issuer of the server's certificate.
  std::string version;
  std::string cipher;
};

ClientView Connect(const ServerTls& tls, const char* name,
                   const std::function<void(SSL_CTX*)>& prepare = {}) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                             SSL_CTX_free);
  SSL_CTX_set_security_level(context.get(), 0);
  if (prepare) prepare(context.get());
  const std::unique_ptr<SSL, void (*)(SSL*)> client(SSL_new(context.get()), SSL_free);
  const std::unique_ptr<SSL, void (*)(SSL*)> server(SSL_new(tls.context().native_handle()),
                                                    SSL_free);
  BIO* client_end = nullptr;
  BIO* server_end = nullptr;
  BIO_new_bio_pair(&client_end, 0, &server_end, 0);
  SSL_set_bio(client.get(), client_end, client_end);
  SSL_set_bio(server.get(), server_end, server_end);
  SSL_set_tlsext_host_name(client.get(), name);
  SSL_set_connect_state(client.get());
  SSL_set_accept_state(server.get());
  ClientView view;
  constexpr int kTurns = 10;
  int done = 0;
  for (int i = 0; i < kTurns && done != 2; ++i) {
    done = (SSL_do_handshake(client.get()) == 1) + (SSL_do_handshake(server.get()) == 1);
  }
  if (done != 2) {
    view.problem = "no handshake";
    return view;
  }
  const X509* const certificate = SSL_get0_peer_certificate(client.get());
  char text[100] = {};
  X509_NAME_get_text_by_NID(X509_get_issuer_name(certificate), NID_commonName, text, sizeof(text));
  view.authority = text;
  view.version = SSL_get_version(client.get());
  view.cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(client.get()));
  return view;
}

class ServerCertificatesTest : public testing::Test {
 protected:
  // Writes a pair for `names`, signed by an authority called `authority`.
  NamedCertificate Write(const std::string& authority, const std::vector<std::string>& names) {
    const auto pair = IssueServerCertificate(*MakeCertificateAuthority(authority), names);
    NamedCertificate files{folder_.path(authority + ".crt"), folder_.path(authority + ".key"), {}};
    std::ofstream(files.cert_file) << pair->certificate;
    std::ofstream(files.key_file) << pair->key;
    return files;
  }

  ServerTlsOptions Options() {
    const NamedCertificate own = Write("own", {});
    return {.cert_file = own.cert_file, .key_file = own.key_file};
  }

  static std::shared_ptr<ServerTls> Make(const ServerTlsOptions& options) {
    auto tls = ServerTls::Create(options);
    EXPECT_TRUE(tls.has_value()) << tls.error().message;
    return *tls;
  }

  const TemporaryDirectory folder_;
};

TEST_F(ServerCertificatesTest, SelectsByTheRequestedName) {
  ServerTlsOptions options = Options();
  options.named.push_back(Write("plain", {"a.example.com", "b.example.com"}));
  options.named.push_back(Write("wild", {}));
  options.named.back().names = {"*.example.com"};
  options.named.push_back(Write("given", {}));
  options.named.back().names = {"B.example.com"};
  const auto tls = Make(options);
  EXPECT_EQ(Connect(*tls, "other.org").authority, "own");
  EXPECT_EQ(Connect(*tls, "a.example.com").authority, "plain");
  EXPECT_EQ(Connect(*tls, "b.example.com").authority, "given");
  EXPECT_EQ(Connect(*tls, "c.example.com").authority, "wild");
  EXPECT_EQ(Connect(*tls, "c.d.example.com").authority, "own");
  EXPECT_EQ(Connect(*tls, "example.com").authority, "own");
}

TEST_F(ServerCertificatesTest, ReloadedCertificatesAreUsed) {
  const ServerTlsOptions options = Options();
  const auto tls = Make(options);
  const NamedCertificate other = Write("other", {});
  std::filesystem::copy_file(other.cert_file, options.cert_file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(tls->Reload().has_value()) << "the key is another's";
  EXPECT_EQ(Connect(*tls, "localhost").authority, "own");
  std::filesystem::copy_file(other.key_file, options.key_file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(tls->Reload().has_value());
  EXPECT_EQ(Connect(*tls, "localhost").authority, "other");
}

TEST_F(ServerCertificatesTest, AMissingNamedPairIsAnError) {
  ServerTlsOptions options = Options();
  options.named.push_back({"missing.crt", "missing.key", {}});
  EXPECT_THAT(ServerTls::Create(options).error().message,
              HasSubstr("failed to load SNI cert and key: certFile \"missing.crt\""));
}

TEST_F(ServerCertificatesTest, VersionsAndCipherSuitesAreConfigurable) {
  const auto only_12 = [](SSL_CTX* context) {
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  };
  const auto only_11 = [](SSL_CTX* context) {
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
  };
  ServerTlsOptions options = Options();
  EXPECT_EQ(Connect(*Make(options), "h", only_12).version, "TLSv1.2");
  EXPECT_EQ(Connect(*Make(options), "h", only_11).problem, "no handshake");
  options.min_version = TlsVersion::k13;
  EXPECT_EQ(Connect(*Make(options), "h", only_12).problem, "no handshake");
  EXPECT_EQ(Connect(*Make(options), "h").version, "TLSv1.3");
  options.min_version = TlsVersion::k11;
  EXPECT_EQ(Connect(*Make(options), "h", only_11).version, "TLSv1.1");
  options.min_version = TlsVersion::k12;
  options.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"};
  EXPECT_EQ(Connect(*Make(options), "h", only_12).cipher,
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256");
  options.cipher_suites = {"TLS_AES_128_GCM_SHA256"};
  EXPECT_EQ(Connect(*Make(options), "h", only_12).problem, "no handshake");
  options.cipher_suites.clear();
  options.groups = {"P-384"};
  EXPECT_EQ(Connect(*Make(options), "h").problem, "");
  EXPECT_TRUE(IsCipherSuite("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"));
  EXPECT_FALSE(IsCipherSuite("ECDHE"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
