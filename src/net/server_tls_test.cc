#include "net/server_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/certificates.h"
#include "testing/http2_client.h"
#include "testing/http_handlers.h"
#include "testing/tls_client.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kHttp1 = "\x08http/1.1";
const std::string kHttp2 = "\x02h2";
constexpr const char* kGet = "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

// Responds with the peer: "127.0.0.1 tls user [group group]".
void RespondWithPeer(const std::shared_ptr<Exchange>& exchange) {
  const Peer& peer = exchange->request().peer;
  std::string text = peer.address + (peer.tls ? " tls " : " plain ") + peer.common_name + " [";
  for (const std::string& group : peer.organizations) text += group + " ";
  exchange->Respond(ServerResponse::Text(200, "text/plain", text + "]"));
}

class ServerTlsTest : public testing::Test {
 protected:
  ServerTlsTest()
      : authority_(*MakeCertificateAuthority("test authority")),
        own_(*IssueServerCertificate(authority_, {})) {}

  std::shared_ptr<ServerTls> Tls() {
    auto tls = ServerTls::Create({.cert_data = own_.certificate,
                                  .key_data = own_.key,
                                  .client_ca_data = authority_.certificate});
    EXPECT_TRUE(tls.has_value()) << tls.error().message;
    return *tls;
  }

  TlsClientOptions Client(std::string protocols = kHttp1) {
    return {.authority = authority_.certificate, .own = {}, .protocols = std::move(protocols)};
  }

  const KeyPair authority_;
  const KeyPair own_;
};

TEST_F(ServerTlsTest, ServesOverTls) {
  const auto server = Serve(RespondWithPeer, {.tls = Tls()});
  TlsClient client(server->port(), Client());
  EXPECT_EQ(client.problem(), "");
  EXPECT_EQ(client.protocol(), "http/1.1");
  client.Send(kGet);
  EXPECT_THAT(client.ReadAll(), EndsWith("127.0.0.1 tls  []"));
}

TEST_F(ServerTlsTest, IdentifiesClientsByTheirCertificates) {
  const auto pair = IssueClientCertificate(authority_, "jane", {"staff", "system:masters"});
  ASSERT_TRUE(pair.has_value());
  const auto server = Serve(RespondWithPeer, {.tls = Tls()});
  TlsClientOptions options = Client();
  options.own = {pair->certificate, pair->key};
  TlsClient client(server->port(), options);
  client.Send(kGet);
  EXPECT_THAT(client.ReadAll(), EndsWith("127.0.0.1 tls jane [staff system:masters ]"));
}

TEST_F(ServerTlsTest, RejectsUntrustedCertificates) {
  const auto stranger = MakeCertificateAuthority("stranger");
  const auto pair = IssueClientCertificate(*stranger, "jane", {"system:masters"});
  const auto server = Serve(RespondWithPeer, {.tls = Tls()});
  TlsClientOptions options = Client();
  options.own = {pair->certificate, pair->key};
  TlsClient client(server->port(), options);
  client.Send(kGet);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(ServerTlsTest, RejectsOldVersionsAndOtherProtocols) {
  const auto server = Serve(RespondWithPeer, {.tls = Tls()});
  TlsClientOptions options = Client();
  options.only_tls_1_1 = true;
  EXPECT_NE(TlsClient(server->port(), options).problem(), "");
  // A client without TLS.
  RawClient plain(server->port());
  plain.Send(kGet);
  EXPECT_THAT(plain.ReadAll(), testing::Not(HasSubstr("HTTP")));
  // The server continues to serve.
  TlsClient client(server->port(), Client());
  client.Send(kGet);
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerTlsTest, ASlowHandshakeIsDisconnected) {
  const auto server =
      Serve(RespondWithPeer, {.tls = Tls(), .header_timeout = std::chrono::milliseconds(20)});
  RawClient silent(server->port());
  EXPECT_EQ(silent.ReadAll(), "");
}

TEST_F(ServerTlsTest, SupportsHttp2) {
  const auto server = Serve(Echo, {.tls = Tls()});
  TlsClient client(server->port(), Client(kHttp2 + kHttp1));
  ASSERT_EQ(client.protocol(), "h2");
  Http2Client http2(client);
  const int32_t get = http2.Send("GET", "/a");
  const int32_t post = http2.Send("POST", "/b", {}, std::string(100'000, 'y'));
  EXPECT_EQ(http2.Finish(get).body, "GET /a 0 ");
  EXPECT_EQ(http2.Finish(post).body, "POST /b 100000 yyyyyyyyyyyyyyyyyyyy");
}

TEST_F(ServerTlsTest, SendsLargeBodiesAndStreams) {
  const std::string large(5 << 20, 'z');
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve(
      [&](const std::shared_ptr<Exchange>& exchange) {
        if (exchange->request().target == "/large") {
          return exchange->Respond(ServerResponse::Text(200, "text/plain", large));
        }
        exchange->Stream({}, channel->Open(exchange));
      },
      {.tls = Tls()});
  TlsClient reader(server->port(), Client());
  reader.Send("GET /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(reader.ReadAll(), EndsWith("\r\n\r\n" + large));
  TlsClient watcher(server->port(), Client());
  watcher.Send("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
  watcher.ReadUntil("\r\n\r\n");
  channel->Write("event");
  EXPECT_EQ(watcher.ReadUntil("event\r\n"), "5\r\nevent\r\n");
  watcher.Close();
  EXPECT_TRUE(channel->WaitUntilGone());
}

TEST_F(ServerTlsTest, ErrorsNameTheInvalidFile) {
  const auto problem = [](const ServerTlsOptions& options) {
    const auto tls = ServerTls::Create(options);
    return tls ? "none" : tls.error().message;
  };
  const KeyPair other = *IssueServerCertificate(authority_, {});
  EXPECT_EQ(problem({.cert_file = "none.pem", .key_data = own_.key}),
            "certFile \"none.pem\": No such file or directory");
  EXPECT_THAT(problem({.cert_data = "nonsense", .key_data = own_.key}),
              StartsWith("certData: this is not a PEM certificate: "));
  EXPECT_THAT(problem({.cert_data = own_.certificate, .key_data = other.key}),
              StartsWith("keyData: this is not the PEM key of the certificate: "));
  EXPECT_EQ(problem({.cert_data = own_.certificate}), "TLS needs a key: keyData is empty");
  EXPECT_THAT(
      problem({.cert_data = own_.certificate, .key_data = own_.key, .client_ca_file = "none.pem"}),
      StartsWith("clientCAFile \"none.pem\": "));
  const auto strange = IssueServerCertificate(authority_, {"10.0.0.1", "a.b", "no,good"});
  ASSERT_FALSE(strange.has_value());
  EXPECT_EQ(strange.error().message, "\"no,good\" is neither an address nor a DNS name");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
