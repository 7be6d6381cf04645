#include "scheduler/model/resources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

TEST(ResourceVector, CountsCpuInThousandthsAndTheRestInUnits) {
  ScalarNames table;
  ScalarHolder names(table);
  const ResourceVector v = ResourceVector::From({{"cpu", Amount("1500m")},
                                                 {"memory", Amount("2Ki")},
                                                 {"ephemeral-storage", Amount("1G")},
                                                 {"pods", Amount("110")},
                                                 {"example.com/gpu", Amount("3")},
                                                 {"hugepages-2Mi", Amount("4Mi")}},
                                                names);
  EXPECT_EQ(v.milli_cpu, 1500);
  EXPECT_EQ(v.memory, 2048);
  EXPECT_EQ(v.ephemeral_storage, 1'000'000'000);
  EXPECT_EQ(v.pods, 110);
  EXPECT_EQ(v.ScalarAmount(table.Find("example.com/gpu")), 3);
  EXPECT_EQ(v.ScalarAmount(table.Find("hugepages-2Mi")), 4 << 20);
}

TEST(ResourceVector, RoundsFractionsUp) {
  ScalarNames table;
  ScalarHolder names(table);
  const ResourceVector v =
      ResourceVector::From({{"cpu", Amount("100u")}, {"memory", Amount("1500m")}}, names);
  EXPECT_EQ(v.milli_cpu, 1);
  EXPECT_EQ(v.memory, 2);
}

TEST(ResourceVector, DropsNamesThatNoRuleCounts) {
  ScalarNames table;
  ScalarHolder names(table);
  EXPECT_EQ(ResourceVector::From({{"bogus", Amount("1")}}, names), ResourceVector());
  EXPECT_EQ(table.size(), 0u);
}

TEST(ResourceVector, ListsScalarsByName) {
  ScalarNames table;
  ScalarHolder names(table);
  const ScalarId z = names.Intern("example.com/z");
  const ScalarId a = names.Intern("example.com/a");
  const ResourceVector v =
      ResourceVector::From({{"example.com/a", Amount("0")}, {"example.com/z", Amount("7")}}, names);
  ASSERT_EQ(v.scalars.size(), 2u);  // What is listed as 0 has an entry.
  EXPECT_EQ(v.scalars[0], (ResourceVector::Scalar{a, 0}));
  EXPECT_EQ(v.scalars[1], (ResourceVector::Scalar{z, 7}));
  EXPECT_EQ(v.ScalarAmount(names.Intern("example.com/b")), 0);
}

TEST(ResourceVector, NegativeAmountsCountAsNone) {
  ScalarNames table;
  ScalarHolder names(table);
  const api::ResourceList list = {{"cpu", Amount("-1")},
                                  {"memory", Amount("-5")},
                                  {"ephemeral-storage", Amount("-2")},
                                  {"example.com/gpu", Amount("-3")}};
  const ResourceVector requests = ResourceVector::From(list, names);
  EXPECT_EQ(requests.milli_cpu, 0);
  EXPECT_EQ(requests.memory, 0);
  EXPECT_EQ(requests.ephemeral_storage, 0);
  EXPECT_EQ(requests.ScalarAmount(table.Find("example.com/gpu")), 0);
}

TEST(ResourceVector, HugeAmountsSaturate) {
  ScalarNames table;
  ScalarHolder names(table);
  const ResourceVector v = ResourceVector::From(
      {{"cpu", Amount("9E")}, {"memory", Amount("100E")}, {"example.com/gpu", Amount("1e1000")}},
      names);
  EXPECT_EQ(v.milli_cpu, INT64_MAX);
  EXPECT_EQ(v.memory, INT64_MAX);
  EXPECT_EQ(v.ScalarAmount(table.Find("example.com/gpu")), INT64_MAX);
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

using Texts = std::vector<std::string>;

Texts PortsOf(const api::Pod& pod) {
  SymbolTable symbols;
  SymbolHolder holder(symbols);
  Texts texts;
  for (const HostPort& port : HostPortsOf(pod.spec, holder)) {
    texts.push_back(
        fmt::format("{}/{}/{}", symbols.Text(port.ip), symbols.Text(port.protocol), port.port));
  }
  return texts;
}

TEST(HostPorts, DefaultToTcpOnAllAddresses) {
  EXPECT_EQ(PortsOf(MakePod("p").HostPort(80, "").HostPort(53, "UDP", "10.0.0.1")),
            Texts({"0.0.0.0/TCP/80", "10.0.0.1/UDP/53"}));
}

TEST(HostPorts, LeaveOutPortsOfTheContainerAlone) {
  api::Pod pod = MakePod("p");
  pod.spec.containers[0].ports = {{.container_port = 8080}, {.container_port = 1, .host_port = -1}};
  EXPECT_EQ(PortsOf(pod), Texts());
}

TEST(HostPorts, CountSidecarsButNotInitContainers) {
  api::Pod pod = MakePod("p").HostPort(80);
  pod.spec.init_containers = {
      {.name = "setup", .ports = {{.container_port = 1, .host_port = 81}}},
      {.name = "sidecar",
       .ports = {{.container_port = 1, .host_port = 82}},
       .restart_policy = "Always"},
  };
  EXPECT_EQ(PortsOf(pod), Texts({"0.0.0.0/TCP/80", "0.0.0.0/TCP/82"}));
}

TEST(HostPorts, ClashUnlessPortProtocolOrAddressDiffer) {
  struct Want {
    int32_t port;
    const char* protocol;
    const char* ip;
  };
  struct Case {
    const char* name;
    Want a, b;
    bool clash;
  };
  const Case cases[] = {
      {"SameTriple", {80, "TCP", "10.0.0.1"}, {80, "TCP", "10.0.0.1"}, true},
      {"OtherPort", {80, "TCP", "10.0.0.1"}, {81, "TCP", "10.0.0.1"}, false},
      {"OtherProtocol", {80, "TCP", "0.0.0.0"}, {80, "UDP", "0.0.0.0"}, false},
      {"OtherAddress", {80, "TCP", "10.0.0.1"}, {80, "TCP", "10.0.0.2"}, false},
      {"AllAddressesWantedOrHeld", {80, "TCP", "0.0.0.0"}, {80, "TCP", "10.0.0.2"}, true},
      {"AllAddressesOfVersionSixAreAnAddressLikeAnyOther",
       {80, "TCP", "::"},
       {80, "TCP", "10.0.0.2"},
       false},
  };
  SymbolTable symbols;
  SymbolHolder holder(symbols);
  const Symbol any_ip = holder.Intern("0.0.0.0");
  auto port = [&](const Want& want) {
    return HostPort{want.port, holder.Intern(want.protocol), holder.Intern(want.ip)};
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Clash(port(c.a), port(c.b), any_ip), c.clash);
    EXPECT_EQ(Clash(port(c.b), port(c.a), any_ip), c.clash);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
