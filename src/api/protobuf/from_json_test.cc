// Every kind has a protobuf form, which has everything that its JSON has.
#include "api/protobuf/from_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/protobuf/protobuf_testing.h"
#include "api/protobuf/to_json.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"

namespace berth::api::protobuf {
namespace BERTH_TEST_FILE {

using boost::json::parse;
using scheme::Schema;
using scheme::SchemaField;
using std::string_literals::operator""s;

// Generates objects with every field of their schema set, with values that differ.
class ObjectGenerator {
 public:
  JsonObject Object(const Schema& schema) {
    JsonObject object;
    enclosing_.push_back(&schema);
    for (const SchemaField& field : schema.fields) {
      if (field.number == 0 && IsOnlyInJson(schema, field)) continue;
      // A schema may contain itself, once.
      if (std::ranges::count(enclosing_, field.schema) > 1) continue;
      object[field.name] = Field(field);
    }
    enclosing_.pop_back();
    return object;
  }

 private:
  static bool IsOnlyInJson(const Schema& schema, const SchemaField& field) {
    for (const Schema::Embedded& embedded : schema.embedded) {
      if (embedded.schema->Find(field.name) != nullptr) return false;
    }
    return true;
  }

  Json Field(const SchemaField& field) {
    switch (field.shape) {
      case SchemaField::Shape::kList:
        return JsonArray{Value(field), Value(field)};
      case SchemaField::Shape::kMap:
        return JsonObject{{"a", Value(field)}, {"b/c", Value(field)}};
      default:
        return Value(field);
    }
  }

  Json Value(const SchemaField& field) {
    const int n = ++count_;
    switch (field.type) {
      case SchemaField::Type::kString:
        return Json("text " + std::to_string(n));
      case SchemaField::Type::kInt:
        return n % 2 == 0 ? n : -n;
      case SchemaField::Type::kLong:
        return (int64_t{1} << 40) + n;
      case SchemaField::Type::kDouble:
        return n + 0.25;
      case SchemaField::Type::kBool:
        return true;
      case SchemaField::Type::kBytes:
        return "AP8Qeg==";
      case SchemaField::Type::kTime:
        return Json("2026-05-01T12:00:" + std::to_string(10 + n % 50) + "Z");
      case SchemaField::Type::kMicroTime:
        return Json("2026-05-01T12:00:" + std::to_string(10 + n % 50) + ".012345Z");
      case SchemaField::Type::kQuantity:
        return Json(std::to_string(n) + "Mi");
      case SchemaField::Type::kIntOrString:
        return n % 2 == 0 ? Json(n) : Json(std::to_string(n) + "%");
      case SchemaField::Type::kStrings:
        return JsonArray{"x", std::to_string(n)};
      case SchemaField::Type::kObject:
        return JsonObject{{"any", JsonArray{n, "x", nullptr}}};
      case SchemaField::Type::kAny:
        return n % 2 == 0 ? Json(n) : Json(JsonArray{n, "x"});
      case SchemaField::Type::kSchema:
        break;
    }
    using Alternative = SchemaField::Alternative;
    if (field.alternative == Alternative::kBool && n % 2 == 0) return n % 4 == 0;
    if (field.alternative == Alternative::kStrings && n % 2 == 0) return JsonArray{"a", "b"};
    if (field.alternative == Alternative::kList && n % 2 == 0) {
      return JsonArray{Object(*field.schema)};
    }
    return Object(*field.schema);
  }

  std::vector<const Schema*> enclosing_;
  int count_ = 0;
};

void ExpectRoundTrip(std::string_view api_version, std::string_view kind, JsonObject object) {
  object["kind"] = kind;
  object["apiVersion"] = api_version;
  const auto bytes = EncodeFromJson(object);
  ASSERT_TRUE(bytes.has_value()) << bytes.error();
  const auto decoded = DecodeToJson(*bytes);
  ASSERT_TRUE(decoded.has_value()) << kind << ": " << decoded.error();
  EXPECT_EQ(*decoded, Json(object)) << ToJsonText(*decoded) << "\n" << ToJsonText(object);
}

TEST(ProtobufOfEveryKind, HasEveryField) {
  for (const scheme::Kind& kind : scheme::Kinds()) {
    const Schema* schema = scheme::SchemaOf(kind.api_version(), kind.kind);
    ASSERT_NE(schema, nullptr) << kind.kind;
    SCOPED_TRACE(kind.api_version());
    ExpectRoundTrip(kind.api_version(), kind.kind, ObjectGenerator().Object(*schema));
  }
}

TEST(ProtobufOfEveryKind, HasWhatSubresourcesExchange) {
  const std::pair<const char*, const char*> kinds[] = {{"autoscaling/v1", "Scale"},
                                                       {"policy/v1", "Eviction"},
                                                       {"authentication.k8s.io/v1", "TokenRequest"},
                                                       {"meta/v1", "DeleteOptions"},
                                                       {"meta/v1", "Status"}};
  for (const auto& [api_version, kind] : kinds) {
    const Schema* schema = scheme::SchemaOf(api_version, kind);
    ASSERT_NE(schema, nullptr) << kind;
    ExpectRoundTrip(api_version, kind, ObjectGenerator().Object(*schema));
  }
}

TEST(ProtobufOfEveryKind, ZerosOfPointersStay) {
  ExpectRoundTrip("autoscaling/v1", "HorizontalPodAutoscaler",
                  parse(R"({"metadata":{"name":"a"},"spec":{"scaleTargetRef":{"kind":"Deployment",
                            "name":"web"},"minReplicas":0,"maxReplicas":0}})")
                      .as_object());
  ExpectRoundTrip("networking.k8s.io/v1", "NetworkPolicy",
                  parse(R"({"spec":{"ingress":[{"from":[{"podSelector":{}}]}]}})").as_object());
}

// The messages of Go's encoder, which writes the zeros of all fields that are not pointers.
TEST(ProtobufOfEveryKind, HasTheAlternativesOfSchemas) {
  const auto definition = [](const std::string& schema) {
    return parse(R"({"spec":{"versions":[{"served":true,"storage":false,"schema":{)"
                 R"("openAPIV3Schema":)" +
                 schema + "}}]}}")
        .as_object();
  };
  for (const char* schema :
       {R"({"additionalProperties":true})", R"({"additionalProperties":false})",
        R"({"additionalProperties":{"type":"string"}})", R"({"items":{"type":"string"}})",
        R"({"items":[{"type":"string"},{"type":"integer"}]})",
        R"({"dependencies":{"a":["b"],"c":{"type":"object"}}})", R"({"maximum":5,"minimum":0.5})",
        R"({"default":{"a":[]},"enum":[1,"a",null]})", R"({"properties":{"a":{"not":{}}}})"}) {
    SCOPED_TRACE(schema);
    ExpectRoundTrip("apiextensions.k8s.io/v1", "CustomResourceDefinition", definition(schema));
  }
}

TEST(ProtobufOfGo, AutoscalerOfKubectl) {
  // kubectl autoscale deployment web --max=5 --cpu-percent=50
  const std::string meta = ProtobufBytes(1, "web") + ProtobufBytes(2, "") + ProtobufBytes(3, "") +
                           ProtobufBytes(4, "") + ProtobufBytes(5, "") + ProtobufBytes(6, "") +
                           ProtobufInt(7, 0) + ProtobufBytes(8, "");
  const std::string target =
      ProtobufBytes(1, "Deployment") + ProtobufBytes(2, "web") + ProtobufBytes(3, "apps/v1");
  const std::string spec = ProtobufBytes(1, target) + ProtobufInt(3, 5) + ProtobufInt(4, 50);
  const std::string status = ProtobufInt(3, 0) + ProtobufInt(4, 0);
  const auto got = DecodeToJson(
      InEnvelope("autoscaling/v1", "HorizontalPodAutoscaler",
                 ProtobufBytes(1, meta) + ProtobufBytes(2, spec) + ProtobufBytes(3, status)));
  ASSERT_TRUE(got.has_value()) << got.error();
  EXPECT_EQ(*got, parse(R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1",
      "metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web",
      "apiVersion":"apps/v1"},"maxReplicas":5,"targetCPUUtilizationPercentage":50},
      "status":{"currentReplicas":0,"desiredReplicas":0}})"))
      << ToJsonText(*got);
}

TEST(ProtobufOfGo, RuntimeClassOfTheEndToEndSuite) {
  // A Quantity is a message with its text.
  const std::string overhead =
      ProtobufBytes(1, ProtobufBytes(1, "cpu") + ProtobufBytes(2, ProtobufBytes(1, "200m")));
  const std::string scheduling =
      ProtobufBytes(1, ProtobufBytes(1, "foo") + ProtobufBytes(2, "bar"));
  const auto got =
      DecodeToJson(InEnvelope("node.k8s.io/v1", "RuntimeClass",
                              ProtobufBytes(1, ProtobufBytes(1, "r")) + ProtobufBytes(2, "runc") +
                                  ProtobufBytes(3, overhead) + ProtobufBytes(4, scheduling)));
  ASSERT_TRUE(got.has_value()) << got.error();
  EXPECT_EQ(*got, parse(R"({"kind":"RuntimeClass","apiVersion":"node.k8s.io/v1",
      "metadata":{"name":"r"},"handler":"runc","overhead":{"podFixed":{"cpu":"200m"}},
      "scheduling":{"nodeSelector":{"foo":"bar"}}})"))
      << ToJsonText(*got);
}

TEST(ProtobufOfGo, IngressWithEmbeddedRule) {
  const std::string port = ProtobufBytes(1, "") + ProtobufInt(2, 80);
  const std::string backend = ProtobufBytes(4, ProtobufBytes(1, "web") + ProtobufBytes(2, port));
  const std::string path =
      ProtobufBytes(1, "/") + ProtobufBytes(2, backend) + ProtobufBytes(3, "Prefix");
  // IngressRuleValue is embedded in the rule.
  const std::string rule =
      ProtobufBytes(1, "example.com") + ProtobufBytes(2, ProtobufBytes(1, ProtobufBytes(1, path)));
  const std::string message = ProtobufBytes(1, ProtobufBytes(1, "web")) +
                              ProtobufBytes(2, ProtobufBytes(3, rule)) +
                              ProtobufBytes(3, ProtobufBytes(1, ""));
  const auto got = DecodeToJson(InEnvelope("networking.k8s.io/v1", "Ingress", message));
  ASSERT_TRUE(got.has_value()) << got.error();
  const Json want = parse(R"({"kind":"Ingress","apiVersion":"networking.k8s.io/v1",
      "metadata":{"name":"web"},"spec":{"rules":[{"host":"example.com","http":{"paths":[
      {"path":"/","backend":{"service":{"name":"web","port":{"number":80}}},
       "pathType":"Prefix"}]}}]}})");
  EXPECT_EQ(*got, want) << ToJsonText(*got);
}

TEST(AppendMessageTest, BytesAreThoseOfTheWireFormat) {
  const Json lease = parse(R"({"metadata":{"name":"a"},"spec":{"leaseDurationSeconds":15,
                               "renewTime":"2026-05-01T12:00:01.000005Z"}})");
  const std::string time = "\x08\xc1\xab\xd2\xcf\x06\x10\x88\x27"s;
  EXPECT_EQ(EncodeProtobufObject(lease, "coordination.k8s.io/v1", "Lease"),
            "\x0a\x03\x0a\x01"
            "a\x12\x0d\x10\x0f\x22\x09" +
                time);
}

TEST(AppendMessageTest, OmitsAndNamesValuesOfAWrongType) {
  const MessageDescriptor& pod = *Descriptors::Get().Find("v1", "Pod");
  std::string bytes;
  EXPECT_EQ(AppendMessage(bytes,
                          parse(R"({"metadata":{"name":"a","creationTimestamp":"soon",
                                    "labels":[]},"spec":{"containers":[{"name":1}]}})")
                              .as_object(),
                          pod),
            "metadata.creationTimestamp");
  const auto decoded = DecodeToJson(InEnvelope("v1", "Pod", bytes));
  ASSERT_TRUE(decoded.has_value()) << decoded.error();
  EXPECT_EQ(*decoded, parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},
                                "spec":{"containers":[{}]}})"));
}

TEST(EncodeFromJsonTest, FailsForUnknownKinds) {
  EXPECT_FALSE(EncodeFromJson(parse(R"({"kind":"Unicorn","apiVersion":"v1"})")).has_value());
  EXPECT_FALSE(EncodeFromJson(parse("[]")).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::protobuf
