// Decoding pods and nodes from protobuf gives the same result as decoding their JSON form.
#include "api/protobuf/decode_object.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <string>

#include "api/json/decode.h"
#include "api/json/writer.h"
#include "api/protobuf/protobuf_testing.h"
#include "api/protobuf/to_json.h"
#include "api/timestamp.h"
#include "api/undecodable_fields.h"

namespace berth::api::protobuf {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Quoted(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

std::string PodMessage(const std::string& json) {
  return EncodeProtobufObject(boost::json::parse(Quoted(json)), "v1", "Pod");
}

template <typename T>
void ExpectSame(const std::string& json) {
  const auto want = DecodeJsonAs<T>(Quoted(json));
  ASSERT_TRUE(want.has_value()) << want.error().message;
  const KindInfo& kind = KindOf<T>();
  const std::string message =
      EncodeProtobufObject(boost::json::parse(Quoted(json)), kind.api_version, kind.kind);
  const auto got = DecodeAs<T>(message);
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_TRUE(**got == **want) << json;
  // The conversion to JSON agrees.
  const auto converted = DecodeToJson(InEnvelope(kind.api_version, kind.kind, message));
  ASSERT_TRUE(converted.has_value());
  const auto again = DecodeJsonAs<T>(ToJsonText(*converted));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(**again == **want) << json;
}

constexpr const char* kMeta =
    "'name':'a','namespace':'n','uid':'u','resourceVersion':'7','generation':2,"
    "'creationTimestamp':'2026-05-01T12:00:00Z','deletionTimestamp':'2026-05-01T13:00:00Z',"
    "'labels':{'app':'web','tier':''},'annotations':{'k':'v'},"
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'r','uid':'o',"
    "'controller':true},{'apiVersion':'v1','kind':'Node','name':'x','uid':'y'}],"
    "'managedFields':[{'manager':'m','fieldsV1':{'f:a':{}}}]";

TEST(ProtobufObjects, Pods) {
  const std::string meta = std::string("{'metadata':{") + kMeta + "},";
  for (const char* rest :
       {"'spec':{'containers':[{'name':'c'}]}}",
        "'spec':{'nodeName':'node','schedulerName':'s','priority':0,'priorityClassName':'high',"
        "'preemptionPolicy':'Never','hostNetwork':true,'hostUsers':false,"
        "'terminationGracePeriodSeconds':0,'nodeSelector':{'disk':'ssd'},"
        "'schedulingGates':[{'name':'g1'},{'name':'g2'}],'overhead':{'cpu':'10m'},"
        "'resources':{'requests':{'memory':'1Gi'}},"
        "'initContainers':[{'name':'i','restartPolicy':'Always','image':'x',"
        "'restartPolicyRules':[{'action':'Restart'},{'action':''}]}],"
        "'containers':[{'name':'c','image':'i','resources':{'limits':{'cpu':'1','x/y':'2'},"
        "'requests':{'cpu':'500m'}},'ports':[{'containerPort':80,'hostPort':8080,'hostIP':'1.2.3.4'"
        ","
        "'protocol':'TCP'}],'env':[{'name':'A','value':'b'}]},{'name':'d'}],"
        "'tolerations':[{'key':'k','operator':'Exists','effect':'NoExecute',"
        "'tolerationSeconds':0},{'operator':'Exists'}]}}",
        "'spec':{'containers':[],'affinity':{"
        "'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':["
        "{'matchExpressions':[{'key':'z','operator':'In','values':['a','']}],"
        "'matchFields':[{'key':'metadata.name','operator':'In','values':['n']}]}]},"
        "'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':5,'preference':{}}]},"
        "'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'labelSelector':{"
        "'matchLabels':{'a':'b'}},'topologyKey':'zone','namespaces':['x'],"
        "'namespaceSelector':{},'matchLabelKeys':['m'],'mismatchLabelKeys':['n']}]},"
        "'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1,"
        "'podAffinityTerm':{'topologyKey':'host'}}]}},"
        "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':"
        "'DoNotSchedule','labelSelector':{'matchExpressions':[{'key':'a','operator':'Exists'}]},"
        "'minDomains':2,'nodeAffinityPolicy':'Ignore','nodeTaintsPolicy':'Honor',"
        "'matchLabelKeys':['q']}]}}",
        "'spec':{'containers':[],'volumes':[{'name':'a','emptyDir':{}},"
        "{'name':'b','persistentVolumeClaim':{'claimName':'c','readOnly':true}},"
        "{'name':'d','ephemeral':{'volumeClaimTemplate':{}}},{'name':'e','csi':{'driver':'x'}},"
        "{'name':'f','rbd':{'monitors':['m1','m2'],'image':'i','pool':''}},"
        "{'name':'g','iscsi':{'targetPortal':'t','iqn':'q','lun':3}},"
        "{'name':'h','gcePersistentDisk':{'pdName':'p'}},{'name':'i','image':{'reference':'r'}}],"
        "'resourceClaims':[{'name':'r','resourceClaimName':'c'},"
        "{'name':'t','resourceClaimTemplateName':'u'}]},"
        "'status':{'phase':'Pending','nominatedNodeName':'m','startTime':'2026-05-01T12:00:00Z',"
        "'conditions':[{'type':'PodScheduled','status':'False','reason':'Unschedulable',"
        "'message':'no','lastTransitionTime':'2026-05-01T12:00:01Z','observedGeneration':2}],"
        "'containerStatuses':[{'name':'c','allocatedResources':{'cpu':'1'},"
        "'resources':{'requests':{'cpu':'2'}}}],'allocatedResources':{'cpu':'3'},"
        "'resourceClaimStatuses':[{'name':'r','resourceClaimName':'c-1'}]}}"}) {
    ExpectSame<Pod>(meta + rest);
  }
}

TEST(ProtobufObjects, Nodes) {
  ExpectSame<Node>(
      "{'metadata':{'name':'a','uid':'u','resourceVersion':'7','labels':{'zone':'z'}},"
      "'spec':{'unschedulable':true,'taints':[{'key':'k','value':'v','effect':'NoSchedule',"
      "'timeAdded':'2026-05-01T12:00:00Z'}],'podCIDRs':['10.0.0.0/24']},"
      "'status':{'capacity':{'cpu':'4','memory':'16Gi','pods':'110'},"
      "'allocatable':{'cpu':'3900m'},'conditions':[{'type':'Ready','status':'True'}],"
      "'images':[{'names':['a','b'],'sizeBytes':12345678901}],'declaredFeatures':['x'],"
      "'nodeInfo':{'machineID':'m'}}}");
}

TEST(ProtobufObjects, ZerosThatGoAlwaysWritesAreUnset) {
  // Empty strings and zeros of fields that are not pointers in Go.
  const std::string metadata =
      ProtobufBytes(1, "a") + ProtobufBytes(2, "") + ProtobufInt(7, 0) + ProtobufBytes(8, "");
  const std::string condition = ProtobufBytes(1, "T") + ProtobufBytes(2, "True") +
                                ProtobufBytes(3, "") + ProtobufBytes(4, "") + ProtobufInt(7, 0);
  const auto pod = DecodeAs<Pod>(ProtobufBytes(1, metadata) + ProtobufBytes(2, "") +
                                 ProtobufBytes(3, ProtobufBytes(2, condition)));
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ((*pod)->metadata.namespace_, "default");
  EXPECT_FALSE((*pod)->metadata.creation_timestamp.has_value());
  EXPECT_FALSE((*pod)->status.conditions.at(0).last_transition_time.has_value());
  EXPECT_FALSE((*pod)->status.conditions.at(0).observed_generation.has_value());
}

TEST(ProtobufObjects, ErrorsNameObjectAndField) {
  const auto error = [](const std::string& bytes) {
    const auto pod = DecodeAs<Pod>(bytes);
    return pod ? "none" : pod.error().message;
  };
  const std::string metadata = ProtobufBytes(1, "a") + ProtobufBytes(3, "n");
  const auto spec = [&](const std::string& bytes) {
    return ProtobufBytes(1, metadata) + ProtobufBytes(2, bytes);
  };
  EXPECT_EQ(error(spec(ProtobufInt(25, int64_t{1} << 40))),
            "Pod \"n/a\": spec.priority: 1099511627776 does not fit in 32 bits");
  EXPECT_THAT(error(PodMessage("{'metadata':{'name':'a'},'spec':{'overhead':{'cpu':'4 cores'}}}")),
              HasSubstr("Pod \"a\": spec.overhead.cpu: invalid quantity"));
  EXPECT_EQ(error(spec(ProtobufBytes(10, "\xff"))),
            "Pod \"n/a\": spec.nodeName: a string is not UTF-8");
  EXPECT_EQ(error(spec(ProtobufInt(10, 1))), "Pod \"n/a\": spec.nodeName: the value is a varint");
  EXPECT_EQ(error(spec("\x0a\x05")), "Pod \"n/a\": spec: a value of 5 bytes is cut off after 0");
  EXPECT_EQ(error(""), "Pod \"\": metadata.name is missing");
}

TEST(ProtobufObjects, ListsAndWatchEvents) {
  const std::string list =
      ProtobufBytes(1, ProtobufBytes(1, "") + ProtobufBytes(2, "77") + ProtobufBytes(3, "more")) +
      ProtobufBytes(2, "one") + ProtobufBytes(2, "") + ProtobufBytes(2, "three");
  const auto read = ReadListMessage(list);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->resource_version, "77");
  EXPECT_EQ(read->continue_token, "more");
  EXPECT_THAT(read->items, ElementsAre("one", "", "three"));
  EXPECT_FALSE(ReadListMessage("\x0a\x05").has_value());

  const std::string frame = ProtobufWatchFrame("ADDED", "raw").substr(4);
  const auto event = ReadWatchEventMessage(frame);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object, "raw");

  const ObjectMeta meta =
      DecodeMeta(PodMessage("{'metadata':{'resourceVersion':'5','annotations':{'a':'true'}}}"));
  EXPECT_EQ(meta.resource_version, "5");
  EXPECT_EQ(meta.annotations.at("a"), "true");
}

// --- tolerant decoding ---

// Returns a pod on n1 with further metadata and a further spec.
std::string RunningPod(const std::string& metadata, const std::string& spec) {
  return ProtobufBytes(1, ProtobufBytes(1, "a") + metadata) +
         ProtobufBytes(2, ProtobufBytes(10, "n1") + spec);
}

std::string MapEntry(uint64_t field, const std::string& key, const std::string& value) {
  return ProtobufBytes(field, ProtobufBytes(1, key) + ProtobufBytes(2, value));
}

constexpr uint64_t kLabels = 11, kAnnotations = 12, kDeletionTimestamp = 9;

TEST(TolerantProtobuf, TextThatIsNotUtf8IsReplaced) {
  UndecodableFields undecodable;
  const std::string message = RunningPod(
      MapEntry(kAnnotations, "note", "caf\xe9") + MapEntry(kAnnotations, "k\xff", "v"), "");
  EXPECT_FALSE(DecodeAs<Pod>(message).has_value());
  const auto pod = DecodeAs<Pod>(message, &undecodable);
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->spec.node_name, "n1");
  EXPECT_EQ((*pod)->metadata.annotations, (StringMap{{"note", "caf\uFFFD"}, {"k\uFFFD", "v"}}));
  ASSERT_EQ(undecodable.count(), 2u);
  EXPECT_EQ(undecodable.described()[0].path, "metadata.annotations.note");
  EXPECT_FALSE(undecodable.Lacks(UndecodableFields::Part::kSpec));
}

TEST(TolerantProtobuf, TimesSaturate) {
  for (const int64_t seconds : {int64_t{10'788'000'000}, INT64_MAX, int64_t{-62'135'596'800}}) {
    const auto pod =
        DecodeAs<Pod>(RunningPod(ProtobufBytes(kDeletionTimestamp, ProtobufInt(1, seconds)), ""));
    ASSERT_TRUE(pod.has_value()) << pod.error().message;
    EXPECT_EQ((*pod)->metadata.deletion_timestamp,
              ClampToTimestamp(Instant::FromUnixSeconds(seconds)));
  }
}

TEST(TolerantProtobuf, WrongFieldsAreLeftOut) {
  struct Case {
    const char* path;
    std::string metadata, spec;
  };
  const std::string container = ProtobufBytes(1, "c");
  const auto requests = [](const std::string& quantity) {
    return ProtobufBytes(8, MapEntry(2, "cpu", ProtobufBytes(1, quantity)));
  };
  for (const Case& c : {
           Case{"metadata.labels", ProtobufInt(kLabels, 5), ""},
           Case{"metadata.labels", ProtobufBytes(kLabels, "\x0a"), ""},
           Case{"metadata.labels.k",
                ProtobufBytes(kLabels, ProtobufBytes(1, "k") + ProtobufInt(2, 3)), ""},
           Case{"metadata.deletionTimestamp", ProtobufInt(kDeletionTimestamp, 5), ""},
           Case{"metadata", "\x0f", ""},
           Case{"spec.priority", "", ProtobufBytes(25, "high")},
           Case{"spec.priority", "", ProtobufInt(25, 3'000'000'000)},
           Case{"spec.containers", "", ProtobufInt(2, 1)},
           Case{"spec.containers.resources.requests.cpu", "",
                ProtobufBytes(2, container + requests("4 cores"))},
           Case{"spec", "", "\xff"},
       }) {
    SCOPED_TRACE(c.path);
    UndecodableFields undecodable;
    const std::string message = RunningPod(c.metadata, c.spec);
    EXPECT_FALSE(DecodeAs<Pod>(message).has_value());
    const auto pod = DecodeAs<Pod>(message, &undecodable);
    ASSERT_TRUE(pod.has_value()) << pod.error().message;
    EXPECT_EQ((*pod)->metadata.name, "a");
    EXPECT_EQ((*pod)->spec.node_name, "n1");
    EXPECT_TRUE((*pod)->metadata.labels.empty());
    ASSERT_EQ(undecodable.described().size(), 1u);
    EXPECT_EQ(undecodable.described()[0].path, c.path);
  }
}

TEST(TolerantProtobuf, MessagesWithoutANameRemainErrors) {
  UndecodableFields undecodable;
  EXPECT_FALSE(DecodeAs<Pod>("", &undecodable).has_value());
  EXPECT_FALSE(DecodeAs<Pod>("\xff\xff", &undecodable).has_value());
  EXPECT_FALSE(DecodeAs<Node>(ProtobufInt(1, 7), &undecodable).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::protobuf
