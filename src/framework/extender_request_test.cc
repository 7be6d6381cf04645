#include "framework/extender_request.h"

#include <gtest/gtest.h>

#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

api::Pod TinyPod(std::string name) {
  api::Pod pod;
  pod.metadata = {.name = name, .namespace_ = "ns", .uid = "uid-of-" + name};
  pod.spec.containers.push_back({.name = "c\"1\""});
  return pod;
}

api::Node TinyNode(std::string name) {
  api::Node node;
  node.metadata.name = std::move(name);
  return node;
}

// What the encoder makes of TinyPod("p"), without apiVersion and kind.
constexpr const char* kPod =
    R"({"metadata":{"name":"p","namespace":"ns","uid":"uid-of-p"},)"
    R"("spec":{"containers":[{"name":"c\"1\"","resources":{}}]},"status":{}})";

TEST(ExtenderRequest, SendsNodesWhole) {
  const api::Node a = TinyNode("a");
  const api::Node b = TinyNode("b");
  EXPECT_EQ(
      EncodeExtenderArgs({}, TinyPod("p"), std::vector{&a, &b}),
      std::string(R"({"Pod":)") + kPod +
          R"(,"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"},"spec":{},"status":{}},)"
          R"({"metadata":{"name":"b"},"spec":{},"status":{}}]},"NodeNames":null})");
}

TEST(ExtenderRequest, SendsNamesToThoseThatCacheNodes) {
  const api::Node a = TinyNode("a");
  const api::Node b = TinyNode("b");
  const ExtenderConfig extender{.node_cache_capable = true};
  EXPECT_EQ(EncodeExtenderArgs(extender, TinyPod("p"), std::vector{&a, &b}),
            std::string(R"({"Pod":)") + kPod + R"(,"Nodes":null,"NodeNames":["a","b"]})");
  EXPECT_EQ(EncodeExtenderArgs(extender, TinyPod("p"), {}),
            std::string(R"({"Pod":)") + kPod + R"(,"Nodes":null,"NodeNames":[]})");
}

TEST(ExtenderRequest, SendsTheTextThatWasKept) {
  const auto kept = [](const char* json) {
    return api::KeptText{std::make_shared<const std::string>(json)};
  };
  api::Pod pod = TinyPod("p");
  pod.text = kept(R"({"spec":{"serviceAccountName":"s"}})");
  api::Node node = TinyNode("a");
  node.text = kept(R"({"status":{"addresses":[]}})");
  EXPECT_EQ(EncodeExtenderArgs({}, pod, std::vector<const api::Node*>{&node}),
            R"({"Pod":{"spec":{"serviceAccountName":"s"}},"Nodes":{"metadata":{},"items":)"
            R"([{"status":{"addresses":[]}}]},"NodeNames":null})");
  EXPECT_EQ(EncodeExtenderArgs({.node_cache_capable = true}, *api::CopyToChange(pod), {}),
            EncodeExtenderArgs({.node_cache_capable = true}, TinyPod("p"), {}));
}

TEST(ExtenderRequest, SaysWhatToBind) {
  const BindPod bind{{.namespace_ = "ns", .name = "p"}, "u1", "n\\1"};
  EXPECT_EQ(EncodeExtenderBindingArgs(bind),
            R"({"PodName":"p","PodNamespace":"ns","PodUID":"u1","Node":"n\\1"})");
}

TEST(ExtenderRequest, SendsVictimsWholeOrByUid) {
  const api::Pod v = TinyPod("v");
  const api::Pod w = TinyPod("w");
  const std::map<std::string, ExtenderVictims, std::less<>> victims = {{"a", {{&v, &w}, 1}},
                                                                       {"b", {{&w}, 0}}};
  const auto whole = [](const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"uid-of-)" + name +
           R"("},"spec":{"containers":[{"name":"c\"1\"","resources":{}}]},"status":{}})";
  };
  EXPECT_EQ(EncodeExtenderPreemptionArgs({}, TinyPod("p"), victims),
            std::string(R"({"Pod":)") + kPod + R"(,"NodeNameToVictims":{"a":{"Pods":[)" +
                whole("v") + "," + whole("w") + R"(],"NumPDBViolations":1},"b":{"Pods":[)" +
                whole("w") + R"(],"NumPDBViolations":0}},"NodeNameToMetaVictims":null})");
  EXPECT_EQ(
      EncodeExtenderPreemptionArgs({.node_cache_capable = true}, TinyPod("p"), victims),
      std::string(R"({"Pod":)") + kPod +
          R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"uid-of-v"},)"
          R"({"UID":"uid-of-w"}],"NumPDBViolations":1},"b":{"Pods":[{"UID":"uid-of-w"}],)"
          R"("NumPDBViolations":0}}})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
