#include "cmd/up_objects.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apiserver/registry/api_testing.h"
#include "cmd/up_objects.h"
#include "testing/temporary_directory.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class UpFiles : public ::testing::Test {
 protected:
  std::string Write(const char* name, const char* text) { return directory_.Write(name, text); }
  // Returns the number of objects, or the errors in lines.
  std::string Apply(const std::string& path) {
    const auto applied = ApplyFiles(fixture.api, {path});
    if (!applied) return applied.error().message;
    if (applied->errors.empty()) return std::to_string(applied->applied);
    return fmt::format("{}", fmt::join(applied->errors, "\n"));
  }

  apiserver::registry::ApiFixture fixture;

 private:
  const TemporaryDirectory directory_;
};

TEST_F(UpFiles, AppliesDocumentsAndLists) {
  const std::string path = Write("a.yaml",
                                 "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n"
                                 "---\n"
                                 "apiVersion: v1\nkind: List\nitems:\n"
                                 "- apiVersion: v1\n  kind: ConfigMap\n"
                                 "  metadata: {name: a, resourceVersion: '7', uid: x}\n"
                                 "- apiVersion: apps/v1\n  kind: Deployment\n"
                                 "  metadata: {name: web, namespace: shop}\n"
                                 "  spec:\n    selector: {matchLabels: {app: web}}\n"
                                 "    template:\n      metadata: {labels: {app: web}}\n"
                                 "      spec: {containers: [{name: c, image: i}]}\n");
  EXPECT_EQ(Apply(path), "3");
  EXPECT_FALSE(fixture.Get("configmaps", "a").is_null());
  EXPECT_TRUE(
      fixture.store->Get(api::scheme::KindOf("deployments.apps").collection, {"shop", "web"}));
}

TEST_F(UpFiles, UpdatesExistingObjects) {
  const char* text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {colour: red}\n";
  EXPECT_EQ(Apply(Write("a.yaml", text)), "1");
  EXPECT_EQ(Apply(Write("a.yaml", text)), "1");
  EXPECT_EQ(Apply(Write("a.yaml",
                        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
                        "data: {colour: blue}\n")),
            "1");
  EXPECT_HOLDS(fixture.Get("configmaps", "a"), "{'data':{'colour':'blue'}}");
}

TEST_F(UpFiles, ErrorsNameFileDocumentAndField) {
  struct Case {
    const char* text;
    std::vector<const char*> want;
  };
  const Case cases[] = {
      {"a: [", {"x.yaml: ", "line 2"}},
      {"- a\n", {"x.yaml: document 1: not an object"}},
      {"kind: Pod\n", {"x.yaml: document 1: apiVersion not set"}},
      {"apiVersion: v1\n", {"x.yaml: document 1: kind not set"}},
      {"---\napiVersion: v1\nkind: Boat\n",
       {"document 1: no matches for kind \"Boat\" in version \"v1\""}},
      {"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n"
       "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containerz: []}\n",
       {"x.yaml: document 2: ", "unknown field \"spec.containerz\""}},
      {"apiVersion: v1\nkind: PodList\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a},"
       " spec: {containers: []}}\n",
       {"x.yaml: document 1: items[0]: ", "spec.containers"}},
      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: none}\n",
       {"namespaces \"none\" not found"}},
  };
  for (const Case& c : cases) {
    const std::string error = Apply(Write("x.yaml", c.text));
    for (const char* want : c.want) EXPECT_THAT(error, HasSubstr(want)) << c.text;
  }
  EXPECT_THAT(Apply("/nowhere.yaml"), HasSubstr("/nowhere.yaml: No such file"));
}

TEST_F(UpFiles, AnObjectThatFailsDoesNotStopTheOthers) {
  const auto applied = ApplyFiles(
      fixture.api,
      {Write("a.yaml",
             "apiVersion: v1\nkind: Boat\n---\n"
             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
             "apiVersion: v1\nkind: List\nitems:\n"
             "- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n"
             "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n---\n"
             "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containerz: []}\n---\n"
             "a: [\n"),
       Write("b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->applied, 3u);
  EXPECT_THAT(applied->errors,
              ElementsAre(HasSubstr("a.yaml: document 1: no matches for kind \"Boat\""),
                          HasSubstr("a.yaml: document 3: items[0]: Pod \"p\" is invalid"),
                          HasSubstr("a.yaml: document 4: "), HasSubstr("a.yaml: ")));
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_FALSE(fixture.Get("configmaps", name).is_null()) << name;
  }
}

TEST_F(UpFiles, NodesDropFieldsOfTheirOldCluster) {
  const auto nodes = ApplyNodes(
      fixture.api, Write("nodes.yaml",
                         "apiVersion: v1\nkind: List\nitems:\n"
                         "- apiVersion: v1\n  kind: Node\n"
                         "  metadata: {name: a, uid: old, resourceVersion: '5', labels: {x: 'y'},"
                         " ownerReferences: [{apiVersion: v1, kind: X, name: x, uid: u}]}\n"
                         "  status: {allocatable: {cpu: '3', memory: 1Gi, pods: '10'}}\n"));
  ASSERT_TRUE(nodes.has_value()) << nodes.error().message;
  EXPECT_EQ(*nodes, 1U);
  EXPECT_HOLDS(fixture.Get("nodes", "a"),
               "{'metadata':{'labels':{'x':'y'},'ownerReferences':null},"
               "'status':{'allocatable':{'cpu':'3'}}}");
  const auto refused =
      ApplyNodes(fixture.api, Write("x.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("document 1: kind \"Pod\" is not Node"));
}

TEST(UpNodes, AreSpreadOverZonesAndSizes) {
  apiserver::registry::ApiFixture fixture;
  ASSERT_TRUE(MakeNodes(fixture.api, 12));
  ASSERT_TRUE(MakeNodes(fixture.api, 13));  // Only the last is new.
  EXPECT_EQ(fixture.store->Count(api::scheme::KindOf("nodes").collection), 13U);
  EXPECT_HOLDS(fixture.Get("nodes", "node-0001"),
               "{'metadata':{'labels':{'topology.kubernetes.io/zone':'zone-a',"
               "'kubernetes.io/hostname':'node-0001'}},"
               "'status':{'allocatable':{'cpu':'16','memory':'64Gi','pods':'110'}}}");
  EXPECT_HOLDS(fixture.Get("nodes", "node-0002"),
               "{'metadata':{'labels':{'topology.kubernetes.io/zone':'zone-b'}}}");
  EXPECT_HOLDS(fixture.Get("nodes", "node-0004"),
               "{'metadata':{'labels':{'topology.kubernetes.io/zone':'zone-a'}},"
               "'status':{'allocatable':{'cpu':'8','memory':'32Gi'}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
