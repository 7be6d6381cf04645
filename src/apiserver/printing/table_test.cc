#include "apiserver/printing/table.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "api/scheme/scheme.h"
#include "apiserver/printing/columns.h"
#include "apiserver/printing/table_testing.h"

namespace berth::apiserver::printing {
namespace BERTH_TEST_FILE {

struct AgeCase {
  int64_t seconds;
  const char* want;
};

TEST(ShortAgeTest, HasTwoOrThreeFigures) {
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  constexpr int64_t kYear = 365 * kDay;
  for (const AgeCase& test : {AgeCase{-2, "<invalid>"},
                              {-1, "0s"},
                              {0, "0s"},
                              {59, "59s"},
                              {119, "119s"},
                              {120, "2m"},
                              {5 * kMinute + 14, "5m14s"},
                              {10 * kMinute - 1, "9m59s"},
                              {10 * kMinute, "10m"},
                              {11 * kMinute + 59, "11m"},
                              {3 * kHour - 1, "179m"},
                              {3 * kHour, "3h"},
                              {3 * kHour + kMinute, "3h1m"},
                              {8 * kHour - 1, "7h59m"},
                              {8 * kHour, "8h"},
                              {47 * kHour + 59 * kMinute, "47h"},
                              {48 * kHour, "2d"},
                              {2 * kDay + 3 * kHour, "2d3h"},
                              {8 * kDay - 1, "7d23h"},
                              {8 * kDay, "8d"},
                              {2 * kYear - 1, "729d"},
                              {2 * kYear, "2y"},
                              {2 * kYear + kDay, "2y1d"},
                              {8 * kYear - 1, "7y364d"},
                              {8 * kYear, "8y"},
                              {20 * kYear + 100 * kDay, "20y"}}) {
    EXPECT_EQ(ShortAge(Duration::Seconds(test.seconds)), test.want) << test.seconds;
  }
  EXPECT_EQ(ShortAge(Duration::Millis(-1500)), "0s");
  EXPECT_EQ(ShortAge(Duration::Millis(1999)), "1s");
}

TableOptions At(const char* time) {
  TableOptions options;
  options.now = *api::ParseTimestamp(time);
  return options;
}

std::vector<store::ObjectPtr> One(const char* json) { return {ObjectOf(json)}; }

const char* const kNamespace =
    R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7",)"
    R"("creationTimestamp":"2026-01-01T10:00:00Z"},"status":{"phase":"Active"}})";

TEST(MakeTableTest, OneNamespace) {
  EXPECT_EQ(
      MakeTable(api::scheme::KindOf("namespaces"), One(kNamespace), R"({"resourceVersion":"674"})",
                At("2026-01-01T10:00:59Z")),
      R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"674"},)"
      R"("columnDefinitions":[)"
      R"({"name":"Name","type":"string","format":"name","description":"Name of the object.",)"
      R"("priority":0},)"
      R"({"name":"Status","type":"string","format":"","description":"Active or Terminating.",)"
      R"("priority":0},)"
      R"({"name":"Age","type":"string","format":"",)"
      R"("description":"Time since the object was created.","priority":0}],)"
      R"("rows":[{"cells":["a","Active","59s"],)"
      R"("object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
      R"("metadata":{"name":"a","resourceVersion":"7",)"
      R"("creationTimestamp":"2026-01-01T10:00:00Z"}}}]})");
}

TEST(MakeTableTest, ALaterEventOfAWatchHasNoColumns) {
  TableOptions options = At("2026-01-01T10:00:59Z");
  options.columns = false;
  options.include = IncludeObject::kNone;
  options.api_version = "meta.k8s.io/v1beta1";
  EXPECT_EQ(MakeTable(api::scheme::KindOf("namespaces"), One(kNamespace), "", options),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","metadata":{},)"
            R"("columnDefinitions":null,"rows":[{"cells":["a","Active","59s"],"object":null}]})");
}

TEST(MakeTableTest, WholeObjectsAreUnchanged) {
  TableOptions options = At("2026-01-01T10:00:59Z");
  options.include = IncludeObject::kObject;
  const std::string table =
      MakeTable(api::scheme::KindOf("namespaces"), One(kNamespace), "", options);
  EXPECT_NE(table.find(std::string("\"object\":") + kNamespace + "}]}"), std::string::npos);
}

TEST(MakeTableTest, NoObjectsMakeNoRows) {
  const std::string table =
      MakeTable(api::scheme::KindOf("pods"), {}, "{}", At("2026-01-01T10:00:59Z"));
  EXPECT_TRUE(table.ends_with(R"("rows":[]})"));
}

TEST(MakeTableTest, ADamagedObjectHasAnEmptyRow) {
  TableOptions options = At("2026-01-01T10:00:59Z");
  options.columns = false;
  options.include = IncludeObject::kNone;
  const std::vector<store::ObjectPtr> objects = {ObjectOf(R"({"metadata":{"name":)"),
                                                 ObjectOf(kNamespace)};
  EXPECT_EQ(MakeTable(api::scheme::KindOf("namespaces"), objects, "", options),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},)"
            R"("columnDefinitions":null,"rows":[{"cells":["","","<unknown>"],"object":null},)"
            R"({"cells":["a","Active","59s"],"object":null}]})");
}

TEST(LayoutTest, EveryKindHasACellForEachColumn) {
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    const TableLayout& layout = LayoutOf(kind);
    ASSERT_FALSE(layout.columns.empty()) << kind.resource;
    for (const char* text : {"null", "{}", R"({"metadata":[],"spec":"x","status":1})"}) {
      const api::Json json = boost::json::parse(text);
      EXPECT_EQ(layout.cells(api::JsonView(json), {}).size(), layout.columns.size())
          << kind.resource;
    }
  }
}

TEST(LayoutTest, EveryLayoutHasAKind) {
  std::set<std::string> known;
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) known.insert(kind.group_resource());
  for (const Layouts& layouts : {PodLayouts(), ClusterLayouts(), NetworkLayouts(),
                                 WorkloadLayouts(), StorageLayouts(), AccessLayouts()}) {
    for (const auto& [name, layout] : layouts) EXPECT_TRUE(known.contains(std::string(name)));
  }
}

struct ColumnsCase {
  const char* resource;
  const char* want;  // Wide ones in brackets.
};

TEST(LayoutTest, ColumnsAreThoseOfKubectl) {
  for (const ColumnsCase& test : {
           ColumnsCase{"pods",
                       "Name, Ready, Status, Restarts, Age, [IP], [Node], [Nominated Node], "
                       "[Readiness Gates]"},
           {"nodes",
            "Name, Status, Roles, Age, Version, [Internal-IP], [External-IP], [OS-Image], "
            "[Kernel-Version], [Container-Runtime]"},
           {"events",
            "Last Seen, Type, Reason, Object, [Subobject], [Source], Message, [First Seen], "
            "[Count], [Name]"},
           {"services", "Name, Type, Cluster-IP, External-IP, Port(s), Age, [Selector]"},
           {"deployments.apps",
            "Name, Ready, Up-to-date, Available, Age, [Containers], [Images], [Selector]"},
           {"replicasets.apps",
            "Name, Desired, Current, Ready, Age, [Containers], [Images], [Selector]"},
           {"statefulsets.apps", "Name, Ready, Age, [Containers], [Images]"},
           {"daemonsets.apps",
            "Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, "
            "[Containers], [Images], [Selector]"},
           {"jobs.batch",
            "Name, Status, Completions, Duration, Age, [Containers], [Images], [Selector]"},
           {"priorityclasses.scheduling.k8s.io",
            "Name, Value, Global-Default, Age, PreemptionPolicy"},
           {"poddisruptionbudgets.policy",
            "Name, Min Available, Max Unavailable, Allowed Disruptions, Age"},
           {"leases.coordination.k8s.io", "Name, Holder, Age"},
           {"leasecandidates.coordination.k8s.io",
            "Name, LeaseName, BinaryVersion, EmulationVersion, Age"},
           {"persistentvolumes",
            "Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, "
            "VolumeAttributesClass, Reason, Age, [VolumeMode]"},
           {"persistentvolumeclaims",
            "Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, "
            "Age, [VolumeMode]"},
           {"storageclasses.storage.k8s.io",
            "Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age"},
           {"configmaps", "Name, Data, Age"},
           {"roles.rbac.authorization.k8s.io", "Name, Created At"},
       }) {
    std::vector<std::string> names;
    for (const TableColumn& column : LayoutOf(api::scheme::KindOf(test.resource)).columns) {
      const std::string name(column.name);
      names.push_back(column.wide ? "[" + name + "]" : name);
    }
    EXPECT_EQ(Join(names, ", "), test.want) << test.resource;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::printing
