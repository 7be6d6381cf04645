#include "observability/health.h"

#include <gtest/gtest.h>

#include "observability/metrics_testing.h"

namespace berth::observability {
namespace BERTH_TEST_FILE {

HealthCheck Passing(std::string name) {
  return {std::move(name), [] { return Status(); }};
}
HealthCheck Failing(std::string name, std::string why) {
  return {std::move(name), [why] { return Status(Fail(why)); }};
}

struct Case {
  const char* path;
  const char* query;
  int status;  // 0 if there is no such path.
  const char* text;
};

void Expect(const HealthEndpoint& endpoint, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.path) + "?" + c.query);
    const auto response = endpoint.Respond(c.path, c.query);
    EXPECT_EQ(response.has_value(), c.status != 0);
    if (!response) continue;
    EXPECT_EQ(response->status, c.status);
    EXPECT_EQ(response->text, c.text);
  }
}

TEST(Health, WhenAllChecksPass) {
  const HealthEndpoint ready("readyz", {Passing("leaderElection"), Passing("shutdown")});
  Expect(ready, {{"/readyz", "", 200, "ok"},
                 {"/readyz", "verbose", 200,
                  "[+]leaderElection ok\n[+]shutdown ok\nreadyz check passed\n"},
                 {"/readyz", "a=b&verbose=1", 200,
                  "[+]leaderElection ok\n[+]shutdown ok\nreadyz check passed\n"},
                 {"/readyz", "verbose&exclude=shutdown", 200,
                  "[+]leaderElection ok\n[+]shutdown excluded: ok\nreadyz check passed\n"},
                 {"/readyz", "exclude=nope", 200, "ok"},
                 {"/readyz", "verbose&exclude=nope&exclude=more", 200,
                  "[+]leaderElection ok\n[+]shutdown ok\n"
                  "warn: some health checks cannot be excluded: no matches for \"more\", \"nope\"\n"
                  "readyz check passed\n"},
                 {"/readyz/shutdown", "", 200, "ok"},
                 {"/readyz/shutdown", "verbose", 200, "ok"},
                 {"/readyz/nope", "", 0, ""},
                 {"/readyz/", "", 0, ""},
                 {"/readyzz", "", 0, ""},
                 {"/livez", "", 0, ""}});
}

TEST(Health, WhenACheckFails) {
  const HealthEndpoint ready(
      "readyz",
      {Passing("shutdown"), Failing("sched-handler-sync", "handlers are not fully synchronized")});
  Expect(ready, {{"/readyz", "", 500,
                  "[+]shutdown ok\n[-]sched-handler-sync failed: reason withheld\n"
                  "readyz check failed\n"},
                 {"/readyz", "exclude=sched%2Dhandler-sync", 200, "ok"},
                 {"/readyz", "exclude=shutdown", 500,
                  "[+]shutdown excluded: ok\n[-]sched-handler-sync failed: reason withheld\n"
                  "readyz check failed\n"},
                 {"/readyz/sched-handler-sync", "", 500,
                  "internal server error: handlers are not fully synchronized\n"},
                 {"/readyz/shutdown", "", 200, "ok"}});
}

TEST(Health, AnEndpointWithoutChecksPings) {
  Expect(HealthEndpoint("livez", {}),
         {{"/livez", "verbose", 200, "[+]ping ok\nlivez check passed\n"},
          {"/livez/ping", "", 200, "ok"}});
}

TEST(Health, MalformedQueriesAreTolerated) {
  const HealthEndpoint live("livez", {});
  Expect(live,
         {{"/livez", "&&=&%&exclude&verbose=%zz", 200, "[+]ping ok\nlivez check passed\n"},
          {"/livez", "exclude=%70ing&verbose", 200, "[+]ping excluded: ok\nlivez check passed\n"}});
}

TEST(HealthSlis, CountResults) {
  HealthSlis slis;
  bool passing = true;
  const HealthEndpoint ready(
      "readyz", {{"shutdown", [&] { return passing ? Status() : Status(Fail("bye")); }}}, &slis);
  const HealthEndpoint live("livez", {}, &slis);
  ready.Respond("/readyz", "");
  ready.Respond("/readyz/shutdown", "");
  ready.Respond("/readyz", "exclude=shutdown");
  live.Respond("/livez", "");
  passing = false;
  ready.Respond("/readyz", "");
  EXPECT_EQ(slis.Text(),
            "# HELP kubernetes_healthcheck [STABLE] 1 if the last run of the health check passed.\n"
            "# TYPE kubernetes_healthcheck gauge\n"
            "kubernetes_healthcheck{name=\"ping\",type=\"livez\"} 1\n"
            "kubernetes_healthcheck{name=\"shutdown\",type=\"readyz\"} 0\n"
            "# HELP kubernetes_healthchecks_total [STABLE] Number of results of the health check, "
            "by status.\n"
            "# TYPE kubernetes_healthchecks_total counter\n"
            "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} 1\n"
            "kubernetes_healthchecks_total{name=\"shutdown\",status=\"error\",type=\"readyz\"} 1\n"
            "kubernetes_healthchecks_total{name=\"shutdown\",status=\"success\",type=\"readyz\"} "
            "2\n");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability
