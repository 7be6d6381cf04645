#include "scheduler/engine/extender_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/framework/extender.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
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
  const framework::ExtenderConfig extender{.node_cache_capable = true};
  EXPECT_EQ(EncodeExtenderArgs(extender, TinyPod("p"), std::vector{&a, &b}),
            std::string(R"({"Pod":)") + kPod + R"(,"Nodes":null,"NodeNames":["a","b"]})");
  EXPECT_EQ(EncodeExtenderArgs(extender, TinyPod("p"), {}),
            std::string(R"({"Pod":)") + kPod + R"(,"Nodes":null,"NodeNames":[]})");
}

TEST(ExtenderRequest, SendsTheStoredText) {
  const auto raw = [](const char* json) {
    return api::RawJson{std::make_shared<const std::string>(json)};
  };
  api::Pod pod = TinyPod("p");
  pod.text = raw(R"({"spec":{"serviceAccountName":"s"}})");
  api::Node node = TinyNode("a");
  node.text = raw(R"({"status":{"addresses":[]}})");
  EXPECT_EQ(EncodeExtenderArgs({}, pod, std::vector<const api::Node*>{&node}),
            R"({"Pod":{"spec":{"serviceAccountName":"s"}},"Nodes":{"metadata":{},"items":)"
            R"([{"status":{"addresses":[]}}]},"NodeNames":null})");
  EXPECT_EQ(EncodeExtenderArgs({.node_cache_capable = true}, *api::CopyToChange(pod), {}),
            EncodeExtenderArgs({.node_cache_capable = true}, TinyPod("p"), {}));
}

TEST(ExtenderRequest, SendsTheBinding) {
  const framework::BindPod bind{{.namespace_ = "ns", .name = "p"}, "u1", "n\\1"};
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
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

framework::ExtenderConfig AnExtender(bool node_cache_capable = false) {
  return {.url_prefix = "http://x",
          .filter_verb = "filter",
          .preempt_verb = "preempt",
          .prioritize_verb = "sort",
          .bind_verb = "bind",
          .node_cache_capable = node_cache_capable};
}

bool SentAOrB(std::string_view node) { return node == "a" || node == "b"; }

Result<ExtenderFilterResult> Filter(std::string_view json, bool node_cache_capable = false) {
  return DecodeExtenderFilterResult(AnExtender(node_cache_capable), json, SentAOrB);
}

TEST(ExtenderResponse, FilterListsTheNodesThatPass) {
  const struct {
    const char* name;
    bool node_cache_capable;
    const char* json;
    std::vector<std::string> want;
  } cases[] = {
      {"nodes", false, R"({"Nodes":{"items":[{"metadata":{"name":"b"}}]}})", {"b"}},
      {"in the extender's order", true, R"({"NodeNames":["b","a"]})", {"b", "a"}},
      {"names in any case", true, R"({"nodenames":["a"]})", {"a"}},
      {"nodes in any case", false, R"({"NODES":{"Items":[{"Metadata":{"Name":"a"}}]}})", {"a"}},
      {"nodes though names were sent",
       true,
       R"({"Nodes":{"items":[{"metadata":{"name":"a"}}]}})",
       {"a"}},
      {"names before nodes", true, R"({"Nodes":{"items":[]},"NodeNames":["a"]})", {"a"}},
      {"null names",
       true,
       R"({"NodeNames":null,"Nodes":{"items":[{"metadata":{"name":"b"}}]}})",
       {"b"}},
      {"names that it was not sent do not count", false, R"({"NodeNames":["a"]})", {}},
      {"neither", true, R"({})", {}},
      {"null items", false, R"({"Nodes":{"metadata":{},"items":null}})", {}},
      {"null", false, "null", {}},
      {"unknown fields", true, R"({"x":[{"y":1}],"NodeNames":["a"],"Error":""})", {"a"}},
  };
  for (const auto& c : cases) {
    const auto response = Filter(c.json, c.node_cache_capable);
    ASSERT_TRUE(response.has_value()) << c.name << ": " << response.error().message;
    EXPECT_EQ(response->nodes, c.want) << c.name;
  }
}

TEST(ExtenderResponse, FilterListsWhyOthersFail) {
  const auto response = Filter(R"({"FailedNodes":{"a":"full","b":"odd","c":null},
      "failedAndUnresolvableNodes":{"b":"broken"}})");
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_THAT(response->failed, ElementsAre(Pair("a", "full"), Pair("c", "")));
  EXPECT_THAT(response->failed_and_unresolvable, ElementsAre(Pair("b", "broken")));
}

TEST(ExtenderResponse, FilterFails) {
  const struct {
    const char* json;
    const char* want;
  } cases[] = {
      {R"({"Error":"no \"luck\""})", "no \"luck\""},
      {R"({"NodeNames":["a","z"]})",
       R"(extender "http://x" claims a filtered node "z" which is not found in the input node list)"},
      {R"({"Nodes":{"items":[null]}})",
       R"(extender "http://x" claims a filtered node "" which is not found in the input node list)"},
      {"", R"(extender "http://x": answer to filter: the answer is empty)"},
      {" \n", R"(extender "http://x": answer to filter: the answer is empty)"},
      {"[]", R"(extender "http://x": answer to filter: expected an object, found a list)"},
      {"7", R"(extender "http://x": answer to filter: expected an object, found 7)"},
      {R"({"Nodes":"a"})",
       R"(extender "http://x": answer to filter: Nodes: expected an object, found "a")"},
      {R"({"Nodes":{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":5}}]}})",
       R"(extender "http://x": answer to filter: Nodes.items[1].metadata.name: expected a string, )"
       "found 5"},
      {R"({"NodeNames":{"a":true}})",
       R"(extender "http://x": answer to filter: NodeNames: expected a list, found an object)"},
      {R"({"NodeNames":["a",{}]})",
       R"(extender "http://x": answer to filter: NodeNames[1]: expected a string, found an object)"},
      {R"({"FailedNodes":{"n.1":5.5}})",
       R"(extender "http://x": answer to filter: FailedNodes.n.1: expected a string, found 5.5)"},
      {R"({"FailedNodes":{"a":"1","a":"2"}})",
       R"(extender "http://x": answer to filter: FailedNodes.a: duplicate key)"},
      {R"({"Error":"","error":"x"})",
       R"(extender "http://x": answer to filter: Error: duplicate key)"},
      {R"({"Error":false})",
       R"(extender "http://x": answer to filter: Error: expected a string, found false)"},
  };
  for (const auto& c : cases) {
    const auto response = Filter(c.json, true);
    ASSERT_FALSE(response.has_value()) << c.json;
    EXPECT_EQ(response.error().message, c.want);
  }
}

TEST(ExtenderResponse, BrokenJsonIsShown) {
  for (const char* json : {"<html>", "{\"Error\":\"\"", "{} {}", "{\"a\":\"\xff\"}", "{,}"}) {
    const auto response = Filter(json);
    ASSERT_FALSE(response.has_value()) << json;
    EXPECT_THAT(response.error().message,
                testing::StartsWith(R"(extender "http://x": answer to filter: invalid JSON ()"));
  }
  EXPECT_THAT(Filter("<html>").error().message, testing::EndsWith("): <html>"));
}

TEST(ExtenderResponse, PrioritizeGivesScores) {
  const auto scores = DecodeHostPriorityList(
      AnExtender(), R"([{"Host":"a","Score":7},{"host":"b","score":-1},{"Host":"c"},null])");
  ASSERT_TRUE(scores.has_value()) << scores.error().message;
  EXPECT_THAT(*scores, ElementsAre(HostPriority{"a", 7}, HostPriority{"b", -1},
                                   HostPriority{"c", 0}, HostPriority{"", 0}));
  EXPECT_THAT(DecodeHostPriorityList(AnExtender(), "null").value(), IsEmpty());
  EXPECT_THAT(DecodeHostPriorityList(AnExtender(), "[]").value(), IsEmpty());
}

TEST(ExtenderResponse, PrioritizeFails) {
  const struct {
    const char* json;
    const char* want;
  } cases[] = {
      {"{}", "expected a list, found an object"},
      {"[5]", "[0]: expected an object, found 5"},
      {R"([{"Host":"a","Score":"7"}])", R"([0].Score: expected an integer, found "7")"},
      {R"([{"Host":"a","Score":1.5}])", "[0].Score: expected an integer, found 1.5"},
      {R"([{"Host":"a","Score":9223372036854775808}])",
       "[0].Score: expected an integer, found 9223372036854775808"},
      {R"([{"Host":"a"},{"Host":7}])", "[1].Host: expected a string, found 7"},
  };
  for (const auto& c : cases) {
    const auto scores = DecodeHostPriorityList(AnExtender(), c.json);
    ASSERT_FALSE(scores.has_value()) << c.json;
    EXPECT_EQ(scores.error().message,
              std::string(R"(extender "http://x": answer to sort: )") + c.want);
  }
}

TEST(ExtenderResponse, BindSucceedsOrReturnsAnError) {
  EXPECT_TRUE(DecodeExtenderBindingResult(AnExtender(), "{}").has_value());
  EXPECT_TRUE(DecodeExtenderBindingResult(AnExtender(), R"({"Error":""})").has_value());
  EXPECT_EQ(DecodeExtenderBindingResult(AnExtender(), R"({"error":"taken"})").error().message,
            "taken");
  EXPECT_EQ(DecodeExtenderBindingResult(AnExtender(), R"({"Error":1})").error().message,
            R"(extender "http://x": answer to bind: Error: expected a string, found 1)");
}

TEST(ExtenderResponse, PreemptGivesVictims) {
  const auto victims = DecodeExtenderPreemptionResult(AnExtender(), R"({"NodeNameToMetaVictims":{
      "b":{"Pods":[{"UID":"u1"},{"uid":"u2"}],"NumPDBViolations":3},"a":{"pods":null}}})");
  ASSERT_TRUE(victims.has_value()) << victims.error().message;
  EXPECT_THAT(*victims,
              ElementsAre(Pair("a", MetaVictims{}), Pair("b", MetaVictims{{"u1", "u2"}, 3})));
  EXPECT_THAT(DecodeExtenderPreemptionResult(AnExtender(), "{}").value(), IsEmpty());
}

TEST(ExtenderResponse, PreemptFails) {
  const struct {
    const char* json;
    const char* want;
  } cases[] = {
      {R"({"NodeNameToMetaVictims":[]})",
       "NodeNameToMetaVictims: expected an object, found a list"},
      {R"({"NodeNameToMetaVictims":{"a":null}})",
       "NodeNameToMetaVictims.a: expected an object, found null"},
      {R"({"NodeNameToMetaVictims":{"a":{"Pods":[null]}}})",
       "NodeNameToMetaVictims.a.Pods[0]: expected an object, found null"},
      {R"({"NodeNameToMetaVictims":{"a":{"NumPDBViolations":"1"}}})",
       R"(NodeNameToMetaVictims.a.NumPDBViolations: expected an integer, found "1")"},
  };
  for (const auto& c : cases) {
    const auto victims = DecodeExtenderPreemptionResult(AnExtender(), c.json);
    ASSERT_FALSE(victims.has_value()) << c.json;
    EXPECT_EQ(victims.error().message,
              std::string(R"(extender "http://x": answer to preempt: )") + c.want);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
