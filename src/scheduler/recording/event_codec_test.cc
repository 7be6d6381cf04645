#include "scheduler/recording/event_codec.h"

#include <gtest/gtest.h>

#include "api/json/decode.h"
#include "testing/object_builders.h"

namespace berth::scheduler::recording {
namespace BERTH_TEST_FILE {

TEST(Bytes, SmallNumbersAreShort) {
  const auto size = [](uint64_t number) {
    ByteWriter out;
    out.Number(number);
    return std::move(out).Take().size();
  };
  EXPECT_EQ(size(0), 1u);
  EXPECT_EQ(size(127), 1u);
  EXPECT_EQ(size(128), 2u);
  EXPECT_EQ(size(UINT64_MAX), 10u);
}

TEST(Bytes, RoundTrip) {
  const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, uint64_t{1} << 63, UINT64_MAX};
  const int64_t signs[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  const std::string texts[] = {"", "text", std::string("\0\xff", 2), std::string(300, 'x')};
  ByteWriter out;
  for (const uint64_t number : numbers) out.Number(number);
  for (const int64_t number : signs) out.Signed(number);
  for (const std::string& text : texts) out.String(text);
  const std::string bytes = std::move(out).Take();
  ByteReader in(bytes);
  for (const uint64_t number : numbers) EXPECT_EQ(in.Number(), number);
  for (const int64_t number : signs) EXPECT_EQ(in.Signed(), number);
  for (const std::string& text : texts) EXPECT_EQ(in.String(), text);
  EXPECT_TRUE(in.finished());
}

TEST(Bytes, DetectMissingBytes) {
  EXPECT_FALSE(ByteReader("x").finished());
  for (const std::string& bytes :
       {std::string(), std::string("\x80", 1), std::string(10, '\xff'),
        std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), std::string(20, '\x80')}) {
    ByteReader in(bytes);
    EXPECT_EQ(in.Number(), 0u);
    EXPECT_FALSE(in.ok());
    EXPECT_FALSE(in.finished());
  }
  ByteReader in("\x05hell");
  EXPECT_EQ(in.String(), "");
  EXPECT_FALSE(in.ok());
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

std::string Encoded(const engine::Event& event) {
  ByteWriter out;
  EncodeEvent(event, out);
  return std::move(out).Take();
}

Result<engine::Event> Decoded(const std::string& bytes) {
  ByteReader in(bytes);
  return DecodeEvent(in);
}

TEST(EventCodec, ObjectsRoundTrip) {
  const api::Pod pod = MakePod("web").Request("cpu", "100m").Label("app", "web");
  for (const bool deleted : {false, true}) {
    const api::Object object = std::make_shared<const api::Pod>(pod);
    const auto event = Decoded(Encoded(deleted ? engine::Event(engine::ObjectDeleted{object})
                                               : engine::Event(engine::ObjectPut{object})));
    ASSERT_TRUE(event.has_value()) << event.error().message;
    const api::Object& read = deleted ? std::get<engine::ObjectDeleted>(*event).object
                                      : std::get<engine::ObjectPut>(*event).object;
    EXPECT_EQ(*std::get<api::Ref<api::Pod>>(read), pod);
  }
}

TEST(EventCodec, RawJsonRoundTrips) {
  const auto pod = api::DecodeJsonWithRaw<api::Pod>(
      R"({"metadata":{"name":"web","namespace":"n"},"spec":{"serviceAccountName":"s"}})");
  const auto node =
      api::DecodeJsonWithRaw<api::Node>(R"({"metadata":{"name":"a"},"status":{"addresses":[]}})");
  ASSERT_TRUE(pod && node);
  const auto put = [](const api::Object& object) {
    auto event = Decoded(Encoded(engine::ObjectPut{object}));
    EXPECT_TRUE(event.has_value());
    return std::get<engine::ObjectPut>(*event).object;
  };
  EXPECT_EQ(*std::get<api::Ref<api::Pod>>(put(*pod)), **pod);
  EXPECT_EQ(*std::get<api::Ref<api::Node>>(put(*node)), **node);
}

api::Ref<api::ResourceClaim> Claim() {
  const auto claim = api::DecodeJsonAs<api::ResourceClaim>(
      R"({"metadata":{"name":"c","namespace":"n","resourceVersion":"9"},"spec":{"future":1}})");
  EXPECT_TRUE(claim.has_value());
  return *claim;
}

TEST(EventCodec, ClaimsRoundTripWithTheirRawJson) {
  const auto event = Decoded(Encoded(engine::ObjectPut{Claim()}));
  ASSERT_TRUE(event.has_value()) << event.error().message;
  const api::Object& object = std::get<engine::ObjectPut>(*event).object;
  EXPECT_EQ(*std::get<api::Ref<api::ResourceClaim>>(object), *Claim());

  const auto made_up = std::make_shared<api::ResourceClaim>();
  made_up->metadata.name = "c";
  made_up->metadata.namespace_ = "n";
  const auto without = Decoded(Encoded(engine::ObjectPut{api::Ref<api::ResourceClaim>(made_up)}));
  ASSERT_TRUE(without.has_value()) << without.error().message;
  EXPECT_EQ(*std::get<api::Ref<api::ResourceClaim>>(std::get<engine::ObjectPut>(*without).object),
            *made_up);
}

TEST(EventCodec, ResultsOfWritesOfClaimsRoundTrip) {
  framework::WriteResult ok;
  ok.resource_version = "9";
  ok.claim = Claim();
  framework::WriteResult unknown{framework::WriteResult::Kind::kTimeout, "no response"};
  unknown.may_have_happened = true;
  for (const framework::WriteResult& result : {ok, unknown}) {
    const std::string bytes = Encoded(engine::WriteDone{engine::CommandId{7}, result});
    const auto event = Decoded(bytes);
    ASSERT_TRUE(event.has_value()) << event.error().message;
    EXPECT_EQ(std::get<engine::WriteDone>(*event).result, result);
    for (size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(Decoded(bytes.substr(0, size)).has_value()) << size;
  }
}

TEST(EventCodec, WriteResultsRoundTrip) {
  using enum framework::WriteResult::Kind;
  for (const auto kind : {kOk, kConflict, kNotFound, kTimeout, kUnavailable, kRejected}) {
    const auto event =
        Decoded(Encoded(engine::WriteDone{engine::CommandId{7}, {kind, "because", "42"}}));
    ASSERT_TRUE(event.has_value()) << event.error().message;
    EXPECT_EQ(std::get<engine::WriteDone>(*event).id, engine::CommandId{7});
    EXPECT_EQ(std::get<engine::WriteDone>(*event).result,
              (framework::WriteResult{kind, "because", "42"}));
  }
}

TEST(EventCodec, RejectsMalformedEvents) {
  const std::string good = Encoded(
      engine::WriteDone{engine::CommandId{7}, {framework::WriteResult::Kind::kTimeout, "m", ""}});
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(Decoded(good.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(Decoded("\x09").has_value());                 // No such kind.
  EXPECT_FALSE(Decoded("\x01\x02{}").has_value());           // Not an object.
  EXPECT_FALSE(Decoded("\x01\x04null").has_value());         // Likewise.
  EXPECT_FALSE(Decoded("\x05\x02{}").has_value());           // A pod without a name.
  EXPECT_FALSE(Decoded("\x03\x07\x06\x01m\0").has_value());  // No such result of a write.
}

TEST(EventCodec, DescribesEvents) {
  const api::Object pod = MakePod("web").ref();
  const api::Object node = MakeNode("n1").ref();
  EXPECT_EQ(DescribeEvent(engine::ObjectPut{pod}), "put Pod \"default/web\"");
  EXPECT_EQ(DescribeEvent(engine::ObjectDeleted{node}), "remove Node \"n1\"");
  EXPECT_EQ(DescribeEvent(engine::WriteDone{engine::CommandId{3}, {}}), "end of write 3: ok");
  EXPECT_EQ(DescribeEvent(engine::WriteDone{engine::CommandId{3},
                                            {framework::WriteResult::Kind::kNotFound, "no pod"}}),
            "end of write 3: not found, no pod");
}

struct CommandCase {
  const char* name;
  framework::ApiWrite write;
  const char* text;
};

class CommandTexts : public testing::TestWithParam<CommandCase> {};

TEST_P(CommandTexts, AreComplete) {
  EXPECT_EQ(CommandText({engine::CommandId{5}, GetParam().write}), GetParam().text);
}

api::Ref<api::PersistentVolume> Volume() {
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->metadata.name = "v";
  volume->phase = "Bound";
  return volume;
}

INSTANTIATE_TEST_SUITE_P(
    All, CommandTexts,
    testing::Values(CommandCase{"Bind", framework::BindPod{{"ns", "web"}, "u", "n1"},
                                R"({"id":5,"write":"bind","pod":"ns/web","uid":"u","node":"n1"})"},
                    CommandCase{"Delete", framework::DeletePod{{"ns", "web"}, "u"},
                                R"({"id":5,"write":"delete","pod":"ns/web","uid":"u"})"},
                    CommandCase{"ClearNomination",
                                framework::PatchPodStatus{{"ns", "web"}, "u", std::nullopt, ""},
                                R"({"id":5,"write":"patch status","pod":"ns/web","uid":"u",)"
                                R"("nominatedNodeName":""})"},
                    CommandCase{
                        "Condition",
                        framework::PatchPodStatus{
                            {"ns", "web"},
                            "u",
                            api::PodCondition{"PodScheduled", "False", "Unschedulable",
                                              "no \"room\"", Instant{1'000'000'000}, 3},
                            std::nullopt},
                        R"({"id":5,"write":"patch status","pod":"ns/web","uid":"u","condition":)"
                        R"({"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
                        R"("message":"no \"room\"","lastTransitionTime":"1970-01-01T00:00:01Z",)"
                        R"("observedGeneration":3}})"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Claims, CommandTexts,
    testing::Values(
        CommandCase{"Get", framework::GetResourceClaim{{"ns", "c"}},
                    R"({"id":5,"write":"get resource claim","claim":"ns/c"})"},
        CommandCase{"Delete", framework::DeleteResourceClaim{{"ns", "c"}},
                    R"({"id":5,"write":"delete resource claim","claim":"ns/c"})"},
        CommandCase{"Unreserve", framework::UnreserveResourceClaim{{"ns", "c"}, "cu", "pu"},
                    R"({"id":5,"write":"unreserve resource claim","claim":"ns/c","uid":"cu",)"
                    R"("podUID":"pu"})"},
        CommandCase{
            "ExtendedResources",
            framework::PatchPodStatus{
                {"ns", "web"},
                "u",
                std::nullopt,
                std::nullopt,
                api::PodExtendedResourceClaimStatus{
                    {{"main", "example.com/gpu", "container-0-request-0"}}, "web-x"}},
            R"({"id":5,"write":"patch status","pod":"ns/web","uid":"u",)"
            R"("extendedResourceClaimStatus":{"resourceClaimName":"web-x","requestMappings":[)"
            R"({"containerName":"main","resourceName":"example.com/gpu",)"
            R"("requestName":"container-0-request-0"}]}})"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(CommandTexts, IncludeResourceClaims) {
  const auto starts_with = [](const framework::ApiWrite& write, const std::string& start) {
    const std::string text = CommandText({engine::CommandId{5}, write});
    EXPECT_TRUE(text.starts_with(start)) << text;
    EXPECT_NE(text.find(R"(\"resourceVersion\":\"9\")"), std::string::npos) << text;
  };
  starts_with(framework::CreateResourceClaim{Claim(), "web-"},
              R"({"id":5,"write":"create resource claim","generateName":"web-","object":"{)");
  starts_with(framework::UpdateResourceClaim{Claim()},
              R"({"id":5,"write":"update resource claim","object":"{)");
  starts_with(framework::UpdateResourceClaimStatus{Claim()},
              R"({"id":5,"write":"update status of resource claim","object":"{)");
}

TEST(CommandTexts, IncludeVolumes) {
  const std::string text =
      CommandText({engine::CommandId{5}, framework::UpdatePersistentVolume{Volume()}});
  EXPECT_TRUE(text.starts_with(R"({"id":5,"write":"update volume","object":"{\"apiVersion\")"))
      << text;
  EXPECT_NE(text.find(R"(\"phase\":\"Bound\")"), std::string::npos) << text;
}

TEST(DecisionTexts, AreComplete) {
  engine::Decision decision;
  decision.key = {"ns", "web"};
  decision.node = "n1";
  EXPECT_EQ(DecisionText(decision), R"({"pod":"ns/web","outcome":"placed","node":"n1"})");
  decision = {};
  decision.key = {"ns", "web"};
  decision.kind = engine::Decision::Kind::kUnschedulable;
  decision.message = "0/1 nodes are available";
  decision.nominated_node = "n2";
  decision.victims = {{"ns", "a"}, {"ns", "b"}};
  EXPECT_EQ(DecisionText(decision),
            R"({"pod":"ns/web","outcome":"unschedulable","message":"0/1 nodes are available",)"
            R"("nominatedNode":"n2","victims":["ns/a","ns/b"]})");
  decision = {};
  decision.key = {"ns", "web"};
  decision.kind = engine::Decision::Kind::kFailed;
  decision.message = "oops";
  EXPECT_EQ(DecisionText(decision), R"({"pod":"ns/web","outcome":"failed","message":"oops"})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::recording
