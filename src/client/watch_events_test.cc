#include "client/watch_events.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <string>

#include "api/protobuf/protobuf_testing.h"
#include "client/rest_client_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using api::protobuf::EncodeProtobufObject;
using api::protobuf::InEnvelope;
using api::protobuf::ProtobufWatchFrame;

const char* NameOf(WatchEvent::Type type) {
  constexpr const char* kNames[] = {"added", "modified", "deleted", "bookmark", "error", "unknown"};
  return kNames[static_cast<int>(type)];
}

// Returns "added ns/name @7", "bookmark @9 end", "error 410 Expired: why", "! why".
std::string Line(const Result<WatchEvent>& event) {
  if (!event) return "! " + event.error().message;
  std::string line = NameOf(event->type);
  if (event->received && event->received->object) {
    const api::ObjectMeta& meta = api::MetaOf(*event->received->object);
    line += " " + api::KeyOf(*event->received->object).ToString() + " @" + meta.resource_version;
  } else if (event->received) {
    const api::ObjectMeta& meta = event->received->meta;
    line += " unreadable " + meta.namespace_ + "/" + meta.name + " " + meta.uid + " @" +
            meta.resource_version;
  }
  if (!event->resource_version.empty()) line += " @" + event->resource_version;
  if (event->ends_list) line += " end";
  if (event->type == WatchEvent::Type::kError) {
    line += " " + std::to_string(event->status.code) + " " + event->status.reason + ": " +
            event->status.message;
  }
  return line;
}

// Decode a watch event in JSON or in protobuf and return its Line.
std::string Json(const std::string& frame) {
  return Line(ReadWatchEvent(Doc(frame), WireForm::kJson, CodecOf<api::Pod>()));
}
std::string Protobuf(const std::string& type, const std::string& kind, const std::string& object) {
  const std::string message = EncodeProtobufObject(boost::json::parse(Doc(object)), "v1", kind);
  const std::string frame = ProtobufWatchFrame(type, InEnvelope("v1", kind, message));
  return Line(ReadWatchEvent(frame.substr(4), WireForm::kProtobuf, CodecOf<api::Pod>()));
}

struct EventCase {
  const char* name;
  const char* type;
  const char* kind;
  const char* object;
  const char* want;
};

class BothForms : public ::testing::TestWithParam<EventCase> {};

TEST_P(BothForms, DecodeToTheSameEvent) {
  const EventCase& c = GetParam();
  EXPECT_EQ(Json(std::string("{'type':'") + c.type + "','object':" + c.object + "}"), c.want);
  EXPECT_EQ(Json(std::string("{ 'object': ") + c.object + ", 'type':'" + c.type + "' }"), c.want);
  EXPECT_EQ(Protobuf(c.type, c.kind, c.object), c.want);
}

INSTANTIATE_TEST_SUITE_P(
    WatchEvents, BothForms,
    ::testing::Values(
        EventCase{"Added", "ADDED", "Pod",
                  "{'metadata':{'name':'a','namespace':'n','resourceVersion':'7'}}",
                  "added n/a @7"},
        EventCase{"Modified", "MODIFIED", "Pod", "{'metadata':{'name':'a','resourceVersion':'8'}}",
                  "modified default/a @8"},
        EventCase{"Deleted", "DELETED", "Pod",
                  "{'metadata':{'name':'a','namespace':'n','resourceVersion':'9'}}",
                  "deleted n/a @9"},
        EventCase{"Bookmark", "BOOKMARK", "Pod", "{'metadata':{'resourceVersion':'12'}}",
                  "bookmark @12"},
        EventCase{"EndOfTheList", "BOOKMARK", "Pod",
                  "{'metadata':{'resourceVersion':'12',"
                  "'annotations':{'k8s.io/initial-events-end':'true'}}}",
                  "bookmark @12 end"},
        EventCase{"Expired", "ERROR", "Status",
                  "{'status':'Failure','message':'too old','reason':'Expired','code':410}",
                  "error 410 Expired: too old"},
        EventCase{"UnknownType", "NEWS", "Pod", "{'metadata':{'name':'a'}}", "unknown"},
        EventCase{"Unreadable", "ADDED", "Pod",
                  "{'metadata':{'name':'a','namespace':'n','uid':'u','resourceVersion':'7'},"
                  "'spec':{'overhead':{'cpu':'4 cores'}}}",
                  "added unreadable n/a u @7"}),
    [](const auto& test) { return test.param.name; });

TEST(WatchEvents, RejectsInvalidEvents) {
  EXPECT_EQ(Json("[]"), "! the event is not a JSON object");
  EXPECT_EQ(Json("{}"), "unknown");
  EXPECT_EQ(Json("{'type':'ADDED'}"), "added unreadable /  @");
  EXPECT_EQ(Json("{'type':'ADDED','object':{'metadata':{'name':'a'}},'more':1}"),
            "added default/a @");
  const auto event = ReadWatchEvent("", WireForm::kProtobuf, CodecOf<api::Namespace>());
  EXPECT_EQ(Line(event), "! the event is protobuf, which was not asked for");
}

// --- lists ---

std::vector<std::string> Names(const ListPage& page) {
  std::vector<std::string> names;
  for (const Received& item : page.items) {
    names.push_back(item.object ? api::KeyOf(*item.object).ToString() : "! " + item.meta.name);
  }
  return names;
}

TEST(ListPages, AnUnreadableItemDoesNotAffectOthers) {
  const auto page =
      ReadListPage(Doc("{'kind':'PodList','metadata':{'remainingItemCount':3,'resourceVersion':'9',"
                       "'continue':'c'},'items':[{'metadata':{'name':'a','namespace':'n'}},"
                       "{'metadata':{'name':'b'},'spec':{'priority':'high'}},"
                       "{'metadata':{'name':'c','namespace':'n'}}]}"),
                   WireForm::kJson, CodecOf<api::Pod>());
  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->continue_token, "c");
  EXPECT_THAT(Names(*page), ElementsAre("n/a", "! b", "n/c"));
}

TEST(ListPages, OddItemsAreErrorsOfTheirOwn) {
  const auto page =
      ReadListPage(Doc("{'metadata':null,'items':[null,{'metadata':{'name':'a'}},5,'x',[{}],{},"
                       "{'metadata':{'name':'b'}}]}"),
                   WireForm::kJson, CodecOf<api::Pod>());
  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_THAT(Names(*page), ElementsAre("! ", "default/a", "! ", "! ", "! ", "! ", "default/b"));
  EXPECT_EQ(page->items[0].object.error().message, "an item of the list that is not an object");
}

TEST(ListPages, TextThatIsNotUtf8IsReplaced) {
  const auto page =
      ReadListPage(Doc("{'items':[{'metadata':{'name':'a','annotations':{'k':'caf\xe9'}}}]}"),
                   WireForm::kJson, CodecOf<api::Pod>());
  ASSERT_TRUE(page.has_value()) << page.error().message;
  ASSERT_TRUE(page->items.at(0).object.has_value());
  EXPECT_EQ(api::MetaOf(*page->items[0].object).annotations.at("k"), "caf\uFFFD");
}

TEST(WatchEvents, TextThatIsNotUtf8IsReplaced) {
  EXPECT_EQ(Json("{'type':'ADDED','object':{'metadata':{'name':'a','labels':{'k':'\xff'}}}}"),
            "added default/a @");
}

// The spec of a pod that runs need not be complete for the pod to count.
TEST(WatchEvents, BoundPodsWithUndecodableFieldsAreRead) {
  const std::string object =
      "{'metadata':{'name':'a'},'spec':{'nodeName':'n1','overhead':{'cpu':'4 cores'}}}";
  EXPECT_EQ(Json("{'type':'ADDED','object':" + object + "}"), "added default/a @");
  EXPECT_EQ(Protobuf("ADDED", "Pod", object), "added default/a @");
}

TEST(KeepingCodec, RetainsTheTextAndDecodesTheSame) {
  const std::string pod =
      "{'kind':'Pod','metadata':{'name':'a','namespace':'n','managedFields':[]},"
      "'spec':{'priority':7,'serviceAccountName':'s'}}";
  const auto event = ReadWatchEvent(Doc("{'type':'ADDED','object':" + pod + "}"), WireForm::kJson,
                                    RawJsonCodecOf<api::Pod>());
  ASSERT_TRUE(event && event->received && event->received->object);
  const api::Pod& read = *std::get<api::Ref<api::Pod>>(*event->received->object);
  EXPECT_EQ(read.priority(), 7);
  ASSERT_NE(read.text.json, nullptr);
  EXPECT_EQ(*read.text.json, Doc("{'metadata':{'name':'a','namespace':'n'},"
                                 "'spec':{'priority':7,'serviceAccountName':'s'}}"));
  EXPECT_EQ(RawJsonCodecOf<api::Pod>().protobuf, nullptr);
}

TEST(ListPages, Protobuf) {
  const auto item = [](const std::string& json) {
    return api::protobuf::ProtobufBytes(
        2, EncodeProtobufObject(boost::json::parse(Doc(json)), "v1", "Pod"));
  };
  const std::string list = api::protobuf::ProtobufBytes(1, api::protobuf::ProtobufBytes(2, "9")) +
                           item("{'metadata':{'name':'a','namespace':'n'}}") +
                           item("{'metadata':{'name':'b'},'spec':{'overhead':{'cpu':'x'}}}");
  const auto page =
      ReadListPage(InEnvelope("v1", "PodList", list), WireForm::kProtobuf, CodecOf<api::Pod>());
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_THAT(Names(*page), ElementsAre("n/a", "! b"));
}

TEST(ListPages, RejectsInvalidLists) {
  const auto problem = [](const std::string& body) {
    const auto page = ReadListPage(Doc(body), WireForm::kJson, CodecOf<api::Pod>());
    return page ? "none" : page.error().message;
  };
  EXPECT_EQ(problem("{'metadata':{},'items':null}"), "none");
  EXPECT_EQ(problem("{}"), "the list cannot be read: it has no items");
  EXPECT_THAT(problem(""), HasSubstr("the list cannot be read: "));
  EXPECT_THAT(problem("{'items':[{]}"), HasSubstr("the list cannot be read: "));
}

TEST(ServerStatuses, BodiesThatAreNotAStatusBecomeTheMessage) {
  const ServerStatus known =
      ReadServerStatus(504,
                       Doc("{'message':'Too large resource version','reason':'Timeout',"
                           "'details':{'causes':[{'reason':'ResourceVersionTooLarge'}]},'code':1}"),
                       WireForm::kJson);
  EXPECT_EQ(known.code, 504);
  EXPECT_EQ(known.message, "Too large resource version");
  EXPECT_TRUE(known.version_too_large);
  EXPECT_EQ(ReadServerStatus(502, "bad gateway", WireForm::kJson).message, "bad gateway");
  EXPECT_THAT(ReadServerStatus(502, "", WireForm::kProtobuf).message, IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
