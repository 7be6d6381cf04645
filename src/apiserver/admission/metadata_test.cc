// Metadata, names, and the equality and storage of documents.
#include "apiserver/admission/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/admission/validation.h"
#include "apiserver/registry/api_testing.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Metadata, AGeneratedNameIsNeverTooLong) {
  Random random(1);
  EXPECT_THAT(GenerateName(std::string(100, 'x'), random), SizeIs(63));
  EXPECT_THAT(GenerateName("web-", random), StartsWith("web-"));
}

TEST(Metadata, RemovesNullsAtAnyDepth) {
  api::Json document =
      registry::Doc("{'a':null,'b':{'c':null,'d':1},'e':[{'f':null},null],'g':[]}");
  DropNulls(document.get_object());
  EXPECT_EQ(document, registry::Doc("{'b':{'d':1},'e':[{},null],'g':[]}"));
}

TEST(Documents, AreEqualInAnyOrderOfKeys) {
  const auto same = [](const char* a, const char* b) {
    return store::SameDocument(registry::Doc(a).get_object(), registry::Doc(b).get_object());
  };
  EXPECT_TRUE(
      same("{'kind':'Pod','metadata':{'name':'a','resourceVersion':'1'},'spec':{'x':1,'y':2}}",
           "{'spec':{'y':2,'x':1},'metadata':{'resourceVersion':'2','name':'a'}}"));
  EXPECT_TRUE(same("{'metadata':{'managedFields':[{'manager':'m','time':'1'}]}}",
                   "{'metadata':{'managedFields':[{'manager':'m','time':'2'}]}}"));
  EXPECT_FALSE(same("{'metadata':{'managedFields':[{'manager':'m'}]}}",
                    "{'metadata':{'managedFields':[{'manager':'n'}]}}"));
  EXPECT_FALSE(same("{'metadata':{},'spec':{'x':1}}", "{'metadata':{},'spec':{'x':2}}"));
  EXPECT_FALSE(same("{'metadata':{}}", "{'metadata':{'labels':{'a':'b'}}}"));
  EXPECT_TRUE(same("{'metadata':{}}", "{'metadata':{'labels':{}}}"));
}

TEST(Documents, AreStoredUnchanged) {
  registry::ApiFixture fixture;
  constexpr std::string_view kOdd =
      R"({'metadata':{'name':'m'},'data':{'quote':'\"\\\/','line':'a\nb\tc\u0001','more':'ü☃'},)"
      R"('numbers':[0,-1,9223372036854775807,18446744073709551615,1.5,true,{},[]]})";
  const api::Json made = fixture.Make("configmaps", kOdd);
  EXPECT_EQ(made.at("data"), registry::Doc(kOdd).at("data"));
  EXPECT_EQ(made.at("numbers"), registry::Doc(kOdd).at("numbers"));
}

TEST(Names, AreCheckedByKind) {
  const auto fine = [](std::string_view kind, std::string_view name) {
    return !CheckName(api::scheme::KindOf(kind), name);
  };
  EXPECT_TRUE(fine("pods", "a.b-c.1"));
  EXPECT_TRUE(fine("pods", std::string(253, 'a')));
  for (const std::string& bad : {std::string(""), std::string("A"), std::string("a..b"),
                                 std::string("-a"), std::string("a/b"), std::string(254, 'a')}) {
    EXPECT_FALSE(fine("pods", bad)) << bad;
  }
  EXPECT_TRUE(fine("namespaces", std::string(63, 'a')));
  EXPECT_FALSE(fine("namespaces", std::string(64, 'a')));
  EXPECT_FALSE(fine("namespaces", "a.b"));
  EXPECT_TRUE(fine("services", "a1"));
  EXPECT_FALSE(fine("services", "1a"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
