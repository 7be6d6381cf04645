#include "runtime/extender_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

// Files in memory, which record the ones that were read.
class Files {
 public:
  explicit Files(std::map<std::string, std::string> contents = {})
      : contents_(std::move(contents)) {}

  FileReader reader() {
    return [this](const std::string& path) -> Result<std::string> {
      read_.push_back(path);
      const auto found = contents_.find(path);
      if (found == contents_.end()) return Fail("open " + path + ": no such file or directory");
      return found->second;
    };
  }
  const std::vector<std::string>& read() const { return read_; }

 private:
  std::map<std::string, std::string> contents_;
  std::vector<std::string> read_;
};

TEST(LoadExtenderTls, ReadsTheFilesThatAreNamed) {
  Files files({{"ca", "root"}, {"crt", "certificate"}, {"key", "secret"}});
  const auto tls =
      LoadExtenderTls({.cert_file = "crt", .key_file = "key", .ca_file = "ca"}, files.reader());
  ASSERT_TRUE(tls.has_value()) << tls.error().message;
  EXPECT_EQ(tls->ca_data.bytes, "root");
  EXPECT_EQ(tls->cert_data.bytes, "certificate");
  EXPECT_EQ(tls->key_data.bytes, "secret");
  EXPECT_THAT(files.read(), ElementsAre("ca", "crt", "key"));
}

TEST(LoadExtenderTls, DataIsPreferredToItsFile) {
  Files files;
  const auto tls = LoadExtenderTls({.ca_file = "missing", .ca_data = {"given"}}, files.reader());
  ASSERT_TRUE(tls.has_value()) << tls.error().message;
  EXPECT_EQ(tls->ca_data.bytes, "given");
  EXPECT_THAT(files.read(), ElementsAre());
}

struct ErrorCase {
  const char* name;
  scheduler::framework::ExtenderTls tls;
  const char* error;
};

class LoadTlsErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(LoadTlsErrors, AreReportedForTheWholeConfiguration) {
  Files files(std::map<std::string, std::string>{{"ca", "root"}});
  scheduler::config::Configuration configuration = scheduler::config::Default();
  configuration.extenders.resize(2);
  configuration.extenders[1].tls = GetParam().tls;
  const Status status = CheckExtenderTls(configuration, files.reader());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, std::string("couldn't build extenders: ") + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, LoadTlsErrors,
    testing::Values(
        ErrorCase{"NoRootFile", {.ca_file = "x"}, "open x: no such file or directory"},
        ErrorCase{"NoCertificateFile",
                  {.cert_file = "x", .key_file = "z", .ca_file = "ca"},
                  "open x: no such file or directory"},
        ErrorCase{"NoKeyFile",
                  {.key_file = "z", .cert_data = {"c"}},
                  "open z: no such file or directory"},
        ErrorCase{"RootFileAndInsecure",
                  {.insecure = true, .ca_file = "x"},
                  "specifying a root certificates file with the insecure flag is not allowed"},
        ErrorCase{"RootDataAndInsecure",
                  {.insecure = true, .ca_data = {"root"}},
                  "specifying a root certificates file with the insecure flag is not allowed"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(CheckExtenderTls, InsecureWithoutARootIsFine) {
  Files files;
  scheduler::config::Configuration configuration = scheduler::config::Default();
  configuration.extenders.resize(1);
  configuration.extenders[0].tls =
      scheduler::framework::ExtenderTls{.insecure = true, .server_name = "ext"};
  EXPECT_TRUE(CheckExtenderTls(configuration, files.reader()).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
