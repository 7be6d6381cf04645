#include "cluster/host_ports.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

using Texts = std::vector<std::string>;

Texts PortsOf(const api::Pod& pod) {
  SymbolTable symbols;
  Texts texts;
  for (const HostPort& port : HostPortsOf(pod.spec, symbols)) {
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
  const Symbol any_ip = symbols.Intern("0.0.0.0");
  auto port = [&](const Want& want) {
    return HostPort{want.port, symbols.Intern(want.protocol), symbols.Intern(want.ip)};
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Clash(port(c.a), port(c.b), any_ip), c.clash);
    EXPECT_EQ(Clash(port(c.b), port(c.a), any_ip), c.clash);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
