#include "client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr const char* kWhole = R"(
apiVersion: v1
kind: Config
current-context: one
preferences: {colors: true}
clusters:
- name: c1
  cluster:
    server: https://10.0.0.1:6443
    tls-server-name: kubernetes
    certificate-authority-data: UEVN
    something-new: [1, 2]
    extensions:
    - name: other
      extension: {a: b}
    - name: client.authentication.k8s.io/exec
      extension: {audience: me}
- name: c2
  cluster: {server: "https://h", insecure-skip-tls-verify: true, certificate-authority: ca.crt}
contexts:
- name: one
  context: {cluster: c1, user: u1, namespace: ns}
- name: two
  context: {cluster: c2, user: u2}
users:
- name: u1
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
    as: jane
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {scopes: [x1, x2]}
- name: u2
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./login
      args: [--fast, ""]
      env: [{name: A, value: b}, {name: EMPTY, value: ""}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: Never
- name: u3
  user: {token: t, tokenFile: f, username: name, password: p}
)";

TEST(ParseKubeconfigTest, ReadsEverything) {
  const auto config = ParseKubeconfig(kWhole, "f");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->current_context, "one");
  ASSERT_EQ(config->clusters.size(), 2u);
  const KubeCluster& c1 = config->clusters[0];
  EXPECT_EQ(c1.name, "c1");
  EXPECT_EQ(c1.server, "https://10.0.0.1:6443");
  EXPECT_EQ(c1.tls_server_name, "kubernetes");
  EXPECT_EQ(c1.ca_data, "PEM");
  EXPECT_FALSE(c1.insecure);
  EXPECT_EQ(c1.exec_config, R"({"audience":"me"})");
  EXPECT_TRUE(config->clusters[1].insecure);
  EXPECT_EQ(config->clusters[1].ca_file, "ca.crt");
  ASSERT_EQ(config->contexts.size(), 2u);
  EXPECT_EQ(config->contexts[0].cluster, "c1");
  EXPECT_EQ(config->contexts[0].user, "u1");
  EXPECT_EQ(config->contexts[0].name_space, "ns");
  ASSERT_EQ(config->users.size(), 3u);
  const KubeUser& u1 = config->users[0];
  EXPECT_EQ(u1.cert_data, "CERT");
  EXPECT_EQ(u1.key_data, "KEY");
  EXPECT_EQ(u1.impersonate, "jane");
  EXPECT_EQ(u1.impersonate_uid, "7");
  EXPECT_THAT(u1.impersonate_groups, ElementsAre("a", "b"));
  EXPECT_THAT(u1.impersonate_extra, ElementsAre(Pair("scopes", ElementsAre("x1", "x2"))));
  EXPECT_FALSE(u1.exec.has_value());
  const KubeUser& u2 = config->users[1];
  ASSERT_TRUE(u2.exec.has_value());
  EXPECT_EQ(u2.exec->command, "./login");
  EXPECT_THAT(u2.exec->args, ElementsAre("--fast", ""));
  EXPECT_THAT(u2.exec->env, ElementsAre(Pair("A", "b"), Pair("EMPTY", "")));
  EXPECT_EQ(u2.exec->api_version, kExecV1);
  EXPECT_EQ(u2.exec->install_hint, "get it");
  EXPECT_TRUE(u2.exec->provide_cluster_info);
  const KubeUser& u3 = config->users[2];
  EXPECT_EQ(u3.token + u3.token_file + u3.username + u3.password, "tfnamep");
}

TEST(ParseKubeconfigTest, AcceptsJsonEmptyAndNull) {
  for (const char* text :
       {"", "# nothing\n", "null", "{}", "clusters:\nusers: null\n", "kind: Config",
        R"({"kind":"Config","apiVersion":"v1","clusters":[],"contexts":[null]})",
        "clusters: [{name: a}, {name: b, cluster: null}]", "preferences: 7", "a: &x [1]\nb: *x"}) {
    const auto config = ParseKubeconfig(text, "f");
    EXPECT_TRUE(config.has_value()) << text << ": " << config.error().message;
  }
}

TEST(ParseKubeconfigTest, InteractiveModeIsOptionalInTheOlderVersion) {
  const auto config = ParseKubeconfig(
      "users: [{name: u, user: {exec: {command: c, apiVersion: "
      "client.authentication.k8s.io/v1beta1}}}]",
      "f");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->users[0].exec->api_version, kExecV1Beta1);
}

TEST(ParseKubeconfigTest, ErrorsNameTheField) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"[]", "f: the document: []: must be a map"},
      {"text", "f: the document: \"text\": must be a map"},
      {"7", "f: the document: 7: must be a map"},
      {"a: [", "f: line 2, column 1: "},
      {"a: b: c", "f: line 1, column 5: "},
      {"\tx: y", "f: line 1, column 1: "},
      {"a: 1\na: 2", "f: line 2: key \"a\" already set in map"},
      {"a: *x", "f: line 1, column 4: "},
      {"{\"a\":", "f: line 1, column 6: "},
      {"{} x", "f: line 1, column 4: "},
      {"{\"a\":\"\xff\"}", "UTF-8"},
      {"kind: Pod", "f: kind: \"Pod\": a kubeconfig file is of kind Config"},
      {"kind: [Config]", "f: kind: [\"Config\"]: must be a string"},
      {"apiVersion: v2", "f: apiVersion: \"v2\": a kubeconfig file is of version v1"},
      {"apiVersion: 1", "f: apiVersion: 1: must be a string"},
      {"current-context: 5", "f: current-context: 5: must be a string"},
      {"current-context: yes", "f: current-context: true: must be a string"},
      {"clusters: {a: b}", "f: clusters: {\"a\":\"b\"}: must be a list"},
      {"clusters: [1]", "f: clusters[0]: 1: must be a map"},
      {"clusters: [{name: 1}]", "f: clusters[0].name: 1: must be a string"},
      {"clusters: [{name: a}, {name: a}]",
       "f: clusters[1].name: \"a\": another of the list has this name"},
      {"users: [{name: a}, {name: b}, {name: a}]",
       "f: users[2].name: \"a\": another of the list has this name"},
      {"contexts: [{}, {}]", "f: contexts[1].name: not set: another of the list has this name"},
      {"clusters: [{name: a, cluster: []}]", "f: clusters[0].cluster: []: must be a map"},
      {"clusters: [{cluster: {server: 6443}}]",
       "f: clusters[0].cluster.server: 6443: must be a string"},
      {"clusters: [{cluster: {insecure-skip-tls-verify: \"true\"}}]",
       "f: clusters[0].cluster.insecure-skip-tls-verify: \"true\": must be true or false"},
      {"clusters: [{cluster: {certificate-authority-data: \"%%\"}}]",
       "f: clusters[0].cluster.certificate-authority-data: 2 bytes that are not base64"},
      {"clusters: [{cluster: {certificate-authority-data: abc}}]",
       "f: clusters[0].cluster.certificate-authority-data: 3 bytes that are not base64"},
      {"clusters: [{cluster: {certificate-authority: 1}}]",
       "f: clusters[0].cluster.certificate-authority: 1: must be a string"},
      {"clusters: [{cluster: {extensions: [{name: []}]}}]",
       "f: clusters[0].cluster.extensions[0].name: []: must be a string"},
      {"contexts: [{context: {cluster: {}}}]", "f: contexts[0].context.cluster: {}: must be a"},
      {"contexts: [{context: {namespace: 1.5}}]", "f: contexts[0].context.namespace: 1.5: must"},
      {"users: [{user: {token: 123456}}]",
       "f: users[0].user.token: a number where a string is expected"},
      {"users: [{user: {password: [secret]}}]",
       "f: users[0].user.password: a list where a string is expected"},
      {"users: [{user: {client-key-data: \"secret!\"}}]",
       "f: users[0].user.client-key-data: 7 bytes that are not base64"},
      {"users: [{user: {client-key-data: {secret: a}}}]",
       "f: users[0].user.client-key-data: a map where a string is expected"},
      {"users: [{user: {client-certificate: true}}]",
       "f: users[0].user.client-certificate: true: must be a string"},
      {"users: [{user: {as-groups: a}}]", "f: users[0].user.as-groups: \"a\": must be a list"},
      {"users: [{user: {as-groups: [a, 2]}}]", "f: users[0].user.as-groups[1]: 2: must be a str"},
      {"users: [{user: {as-user-extra: [a]}}]", "f: users[0].user.as-user-extra: [\"a\"]: must be"},
      {"users: [{user: {as-user-extra: {a: b}}}]", "f: users[0].user.as-user-extra.a: \"b\": must"},
      {"users: [{user: {auth-provider: gcp}}]", "f: users[0].user.auth-provider: \"gcp\": must be"},
      {"users: [{user: {exec: run}}]", "f: users[0].user.exec: \"run\": must be a map"},
      {"users: [{user: {exec: {}}}]",
       "f: users[0].user.exec.command: not set: must name the command to run"},
      {"users: [{user: {exec: {command: a}}}]", "f: users[0].user.exec.apiVersion: not set: must"},
      {"users: [{user: {exec: {command: a, apiVersion: client.authentication.k8s.io/v1alpha1}}}]",
       "f: users[0].user.exec.apiVersion: \"client.authentication.k8s.io/v1alpha1\": must be "
       "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1"},
      {"users: [{user: {exec: {command: a, apiVersion: client.authentication.k8s.io/v1}}}]",
       "f: users[0].user.exec.interactiveMode: not set: must be Never or IfAvailable with "},
      {"users: [{user: {exec: {command: a, apiVersion: client.authentication.k8s.io/v1, "
       "interactiveMode: Always}}}]",
       "f: users[0].user.exec.interactiveMode: \"Always\": Always is not supported: there is no"},
      {"users: [{user: {exec: {command: a, apiVersion: client.authentication.k8s.io/v1, "
       "interactiveMode: never}}}]",
       "f: users[0].user.exec.interactiveMode: \"never\": must be Never, IfAvailable or Always"},
      {"users: [{user: {exec: {command: a, args: x}}}]", "exec.args: \"x\": must be a list"},
      {"users: [{user: {exec: {command: a, args: [1]}}}]", "exec.args[0]: 1: must be a string"},
      {"users: [{user: {exec: {command: a, args: [\"\\0\"]}}}]", "must not contain a zero byte"},
      {"users: [{user: {exec: {command: a, env: {A: b}}}}]", "exec.env: {\"A\":\"b\"}: must be a"},
      {"users: [{user: {exec: {command: a, env: [{value: secret}]}}}]",
       "exec.env[0].name: not set: must be the name of an environment variable"},
      {"users: [{user: {exec: {command: a, env: [{name: A=B}]}}}]",
       "exec.env[0].name: \"A=B\": must be the name of an environment variable"},
      {"users: [{user: {exec: {command: a, env: [{name: A, value: {secret: b}}]}}}]",
       "exec.env[0].value: a map where a string is expected"},
      {"users: [{user: {exec: {command: a, provideClusterInfo: 1}}}]",
       "exec.provideClusterInfo: 1: must be true or false"},
  };
  for (const auto& c : cases) {
    const auto config = ParseKubeconfig(c.text, "f");
    ASSERT_FALSE(config.has_value()) << c.text;
    EXPECT_THAT(config.error().message, HasSubstr(c.want)) << c.text;
    EXPECT_THAT(config.error().message, Not(HasSubstr("secret"))) << c.text;
  }
}

TEST(ParseKubeconfigTest, DeepNestingIsAnError) {
  std::string deep = "a: ";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_FALSE(ParseKubeconfig(deep, "f").has_value());
  EXPECT_FALSE(ParseKubeconfig("{\"a\":" + deep.substr(3), "f").has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
