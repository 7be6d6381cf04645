#include "client/load_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <map>

#include "testing/await.h"
#include "testing/temporary_directory.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Returns the available credential; empty if there is none.
Credential Given(const ClientConfig& config) {
  Credential given;
  if (config.credentials == nullptr) return given;
  config.credentials->Get([&](Result<Credential> credential) {
    EXPECT_TRUE(credential.has_value());
    if (credential) given = *std::move(credential);
  });
  return given;
}

std::vector<std::string> HeadersOf(const ClientConfig& config) {
  std::vector<std::string> lines;
  for (const auto& header : config.headers) lines.push_back(header.name + ": " + header.value);
  return lines;
}

class LoadConfigTest : public testing::Test {
 protected:
  // Returns a kubeconfig with one cluster and one user, both flow maps.
  std::string Kubeconfig(const std::string& cluster, const std::string& user) {
    return folder_.Write("etc/k.conf",
                         "current-context: x\n"
                         "contexts: [{name: x, context: {cluster: c, user: u, namespace: ns}}]\n"
                         "clusters: [{name: c, cluster: " +
                             cluster + "}]\n" + "users: [{name: u, user: " + user + "}]\n");
  }

  Result<ClientConfig> Load(ClientConfigSource source) {
    return LoadClientConfig(
        source, {.variable = [&](const std::string& name) -> std::optional<std::string> {
                   const auto found = variables_.find(name);
                   if (found == variables_.end()) return std::nullopt;
                   return found->second;
                 },
                 .service_account = folder_.path("account"),
                 .clock = &clock_});
  }

  ClientConfig MustLoad(ClientConfigSource source) {
    auto config = Load(std::move(source));
    EXPECT_TRUE(config.has_value()) << config.error().message;
    return config.has_value() ? *std::move(config) : ClientConfig();
  }

  std::string ErrorOf(ClientConfigSource source) {
    const auto config = Load(std::move(source));
    return config.has_value() ? "none" : config.error().message;
  }

  TemporaryDirectory folder_;
  SimClock clock_;
  std::map<std::string, std::string> variables_;
};

TEST_F(LoadConfigTest, CertificatesAsData) {
  const auto config = MustLoad(
      {.kubeconfig = Kubeconfig("{server: 'https://h:6443/', tls-server-name: s, "
                                "certificate-authority-data: Q0E=}",
                                "{client-certificate-data: Q0VSVA==, client-key-data: S0VZ}")});
  EXPECT_EQ(config.server, "https://h:6443");
  EXPECT_EQ(config.tls.server_name, "s");
  EXPECT_EQ(config.tls.ca_data, "CA");
  EXPECT_EQ(config.tls.cert_data, "CERT");
  EXPECT_EQ(config.tls.key_data, "KEY");
  EXPECT_EQ(config.credentials, nullptr);
  EXPECT_EQ(config.default_namespace, "ns");
}

TEST_F(LoadConfigTest, FilesAreRelativeToTheKubeconfigAndAreReadAgain) {
  folder_.Write("pki/ca.crt", "CA");
  folder_.Write("pki/a.crt", "CERT1");
  folder_.Write("etc/a.key", "KEY1");
  const auto config = MustLoad(
      {.kubeconfig = Kubeconfig("{server: 'https://h', certificate-authority: ../pki/ca.crt}",
                                "{client-certificate: ../pki/a.crt, client-key: a.key}")});
  EXPECT_EQ(config.tls.ca_file, folder_.path("pki/ca.crt"));
  EXPECT_EQ(Given(config), (Credential{.bearer_token = "", .certificate = "CERT1", .key = "KEY1"}));
  folder_.Write("pki/a.crt", "CERT2");
  EXPECT_EQ(Given(config).certificate, "CERT1");
  clock_.Advance(Duration::Seconds(60));
  EXPECT_EQ(Given(config).certificate, "CERT2");
}

TEST_F(LoadConfigTest, Tokens) {
  folder_.Write("etc/token", " from-file\n");
  const std::string cluster = "{server: 'https://h'}";
  EXPECT_EQ(Given(MustLoad({.kubeconfig = Kubeconfig(cluster, "{token: t}")})).bearer_token, "t");
  EXPECT_EQ(Given(MustLoad({.kubeconfig = Kubeconfig(cluster, "{tokenFile: token}")})).bearer_token,
            "from-file");
  EXPECT_EQ(Given(MustLoad({.kubeconfig = Kubeconfig(cluster, "{token: t, tokenFile: token}")}))
                .bearer_token,
            "from-file");
  EXPECT_EQ(MustLoad({.kubeconfig = Kubeconfig(cluster, "{}")}).credentials, nullptr);
}

TEST_F(LoadConfigTest, PluginsAreRelativeToTheKubeconfigAndGetTheCluster) {
  const std::string login = folder_.Write(
      "etc/bin/login",
      "#!/bin/sh\n"
      "server=$(echo \"$KUBERNETES_EXEC_INFO\" | sed 's/.*\"server\":\"\\([^\"]*\\).*/\\1/')\n"
      "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",'\n"
      "echo \"\\\"status\\\":{\\\"token\\\":\\\"$1 for $server\\\"}}\"\n");
  std::filesystem::permissions(login, std::filesystem::perms::owner_all);
  const auto config =
      MustLoad({.kubeconfig =
                    Kubeconfig("{server: 'https://h:1'}",
                               "{exec: {command: bin/login, args: [token], interactiveMode: Never, "
                               "provideClusterInfo: true, apiVersion: "
                               "client.authentication.k8s.io/v1}}")});
  ASSERT_NE(config.credentials, nullptr);
  std::promise<std::string> promise;
  config.credentials->Get([&](Result<Credential> credential) {
    promise.set_value(credential ? credential->bearer_token : credential.error().message);
  });
  EXPECT_EQ(Await(promise), "token for https://h:1");
}

TEST_F(LoadConfigTest, NamesAndPasswordsAndImpersonationAreHeaders) {
  const auto config = MustLoad(
      {.kubeconfig = Kubeconfig("{server: 'https://h'}",
                                "{username: a, password: 'b:c', as: jane, as-uid: '7', as-groups: "
                                "[g, h], as-user-extra: {example.com/x y: [1st, 2nd]}}")});
  EXPECT_THAT(
      HeadersOf(config),
      ElementsAre("Impersonate-User: jane", "Impersonate-Uid: 7", "Impersonate-Group: g",
                  "Impersonate-Group: h", "Impersonate-Extra-example.com%2Fx%20y: 1st",
                  "Impersonate-Extra-example.com%2Fx%20y: 2nd", "Authorization: Basic YTpiOmM="));
}

TEST_F(LoadConfigTest, CredentialsAreForHttpsOnly) {
  for (const char* server : {"http://h:8080", "h:8080"}) {
    const auto config =
        MustLoad({.kubeconfig = Kubeconfig(std::string("{server: '") + server + "'}",
                                           "{token: t, username: '', as: jane}")});
    EXPECT_EQ(config.server, "http://h:8080");
    EXPECT_EQ(config.credentials, nullptr);
    EXPECT_THAT(HeadersOf(config), ElementsAre("Impersonate-User: jane"));
  }
}

TEST_F(LoadConfigTest, MasterTakesPrecedenceOverTheFile) {
  const std::string file = Kubeconfig(
      "{server: 'https://h', tls-server-name: s, certificate-authority-data: Q0E=}", "{token: t}");
  const auto config = MustLoad({.kubeconfig = file, .master = "https://other:1/prefix"});
  EXPECT_EQ(config.server, "https://other:1/prefix");
  EXPECT_EQ(config.tls.server_name, "");
  EXPECT_EQ(config.tls.ca_data, "CA");
  EXPECT_EQ(Given(config).bearer_token, "t");

  EXPECT_EQ(MustLoad({.master = "10.0.0.1:8080"}).server, "http://10.0.0.1:8080");
  EXPECT_EQ(MustLoad({.kubeconfig = folder_.Write("empty", ""), .master = "https://h"}).server,
            "https://h");
  EXPECT_EQ(ErrorOf({.master = "ftp://h"}).substr(0, 10), "--master: ");
}

TEST_F(LoadConfigTest, ContextsAreChosenByName) {
  const std::string file = folder_.Write("k.conf", R"(
current-context: a
contexts:
- {name: a, context: {cluster: one}}
- {name: b, context: {cluster: two, user: u}}
clusters:
- {name: one, cluster: {server: https://one}}
- {name: two, cluster: {server: https://two}}
users:
- {name: u, user: {token: t}}
)");
  EXPECT_EQ(MustLoad({.kubeconfig = file}).server, "https://one");
  const auto b = MustLoad({.kubeconfig = file, .context = "b"});
  EXPECT_EQ(b.server, "https://two");
  EXPECT_EQ(Given(b).bearer_token, "t");
  EXPECT_EQ(ErrorOf({.kubeconfig = file, .context = "c"}),
            file + ": context: \"c\": there is no such context; there are \"a\", \"b\"");
}

TEST_F(LoadConfigTest, UnsupportedSettingsAreErrors) {
  folder_.Write("etc/empty", "\n");
  folder_.Write("etc/binary", std::string("a\0b", 3));
  const struct {
    const char* cluster;
    const char* user;
    const char* want;  // After the file's name.
  } cases[] = {
      {"{}", "{}", "cluster \"c\": server: not set"},
      {"{server: 'ftp://h'}", "{}", "cluster \"c\": server: "},
      {"{server: 'https://a:b@h'}", "{}", "cluster \"c\": server: "},
      {"{server: 'https://h:99999'}", "{}", "cluster \"c\": server: "},
      {"{server: 'https://h?x=y'}", "{}", "cluster \"c\": server: \"https://h?x=y\": has a query"},
      {"{server: 'https://h', proxy-url: 'http://p'}", "{}",
       "cluster \"c\": proxy-url: \"http://p\": proxies are not supported"},
      {"{server: 'https://h', certificate-authority: a, certificate-authority-data: Q0E=}", "{}",
       "cluster \"c\": certificate-authority: given together with certificate-authority-data"},
      {"{server: 'https://h', insecure-skip-tls-verify: true, certificate-authority-data: Q0E=}",
       "{}", "cluster \"c\": insecure-skip-tls-verify: true, although "},
      {"{server: 'https://h', certificate-authority: none.crt}", "{}",
       "cluster \"c\": certificate-authority: open "},
      {"{server: 'https://h', certificate-authority: .}", "{}",
       "cluster \"c\": certificate-authority: read "},
      {"{server: 'https://h'}", "{client-certificate-data: Q0E=}",
       "user \"u\": client-key: missing: client-certificate needs it"},
      {"{server: 'https://h'}", "{client-key: empty}",
       "user \"u\": client-certificate: missing: client-key needs it"},
      {"{server: 'https://h'}", "{client-certificate: a, client-certificate-data: Q0E=}",
       "user \"u\": client-certificate: given together with client-certificate-data"},
      {"{server: 'https://h'}", "{client-key: a, client-key-data: Q0E=}",
       "user \"u\": client-key: given together with client-key-data"},
      {"{server: 'https://h'}", "{client-certificate: none, client-key-data: Q0E=}",
       "user \"u\": open "},
      {"{server: 'https://h'}", "{client-certificate-data: Q0E=, client-key: none}",
       "user \"u\": open "},
      {"{server: 'https://h'}", "{tokenFile: none}", "user \"u\": open "},
      {"{server: 'https://h'}", "{tokenFile: empty}", "user \"u\": token file "},
      {"{server: 'https://h'}", "{tokenFile: binary}", "user \"u\": token file "},
      {"{server: 'https://h'}", "{token: \"secret\\nX: y\"}",
       "user \"u\": token: it has control characters"},
      {"{server: 'https://h'}", "{token: secret, username: a}",
       "user \"u\": token: given together with username and password"},
      {"{server: 'https://h'}", "{username: 'a:b', password: secret}",
       "user \"u\": username: \"a:b\": must not have a colon"},
      {"{server: 'https://h'}", "{as-groups: [a]}",
       "user \"u\": as: missing: as-uid, as-groups and as-user-extra need it"},
      {"{server: 'https://h'}", "{as: \"a\\r\\nb\"}", "user \"u\": as: a value has control char"},
      {"{server: 'https://h'}", "{auth-provider: {name: oidc}}",
       "user \"u\": auth-provider: \"oidc\": not supported, use an exec plugin"},
  };
  for (const auto& c : cases) {
    const std::string file = Kubeconfig(c.cluster, c.user);
    const std::string error = ErrorOf({.kubeconfig = file});
    EXPECT_THAT(error, StartsWith(file + ": " + c.want)) << c.cluster << c.user;
    EXPECT_THAT(error, Not(HasSubstr("secret")));
  }
}

TEST_F(LoadConfigTest, MissingReferencesAreErrors) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"", "current-context: not set: it must name one of the contexts; there are none"},
      {"contexts: [{name: a}, {name: b}]",
       "current-context: not set: it must name one of the contexts; there are \"a\", \"b\""},
      {"current-context: x", "current-context: \"x\": there is no such context; there are none"},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: d}]",
       "context \"x\": cluster: \"c\": there is no such cluster; there are \"d\""},
      {"current-context: x\ncontexts: [{name: x}]",
       "context \"x\": cluster: \"\": there is no such cluster; there are none"},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c}]",
       "context \"x\": user: \"u\": there is no such user; there are none"},
  };
  for (const auto& c : cases) {
    const std::string file = folder_.Write("k.conf", c.text);
    EXPECT_EQ(ErrorOf({.kubeconfig = file}), file + ": " + c.want);
  }
  EXPECT_THAT(ErrorOf({.kubeconfig = folder_.path("none")}), StartsWith("kubeconfig: open "));
}

TEST_F(LoadConfigTest, InCluster) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("KUBERNETES_SERVICE_HOST"));
  variables_ = {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  EXPECT_THAT(ErrorOf({}), StartsWith("the service account: open "));
  folder_.Write("account/token", "t1\n");
  auto config = MustLoad({});
  EXPECT_EQ(config.server, "https://10.96.0.1:443");
  EXPECT_EQ(config.tls.ca_file, "");
  EXPECT_EQ(config.default_namespace, "default");
  folder_.Write("account/ca.crt", "CA");
  folder_.Write("account/namespace", "kube-system\n");
  variables_["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  config = MustLoad({});
  EXPECT_EQ(config.server, "https://[fd00::1]:443");
  EXPECT_EQ(config.tls.ca_file, folder_.path("account/ca.crt"));
  EXPECT_EQ(config.default_namespace, "kube-system");
  EXPECT_EQ(Given(config).bearer_token, "t1");
  folder_.Write("account/token", "t2\n");
  clock_.Advance(Duration::Seconds(60));
  EXPECT_EQ(Given(config).bearer_token, "t2");
  variables_["KUBERNETES_SERVICE_PORT"] = "https";
  EXPECT_THAT(ErrorOf({}), StartsWith("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: "));
}

TEST_F(LoadConfigTest, APinnedAuthorityDoesNotFollowItsFile) {
  ClientConfig config;
  config.tls.ca_data = "given";
  EXPECT_TRUE(PinAuthority(config).has_value());
  EXPECT_EQ(config.tls.ca_data, "given");
  config = {};
  config.tls.ca_file = folder_.Write("ca.crt", "CA");
  EXPECT_TRUE(PinAuthority(config).has_value());
  EXPECT_EQ(config.tls.ca_data, "CA");
  EXPECT_EQ(config.tls.ca_file, "");
  config.tls.ca_file = folder_.path("none");
  EXPECT_FALSE(PinAuthority(config).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
