#include "scheduler/framework/registry.h"

#include <gtest/gtest.h>

#include "testing/fake_plugins.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

struct Size {
  int value = 3;
};

class Sized final : public Plugin {
 public:
  static constexpr std::string_view kName = "Sized";
  std::string_view name() const override { return kName; }
  static Result<std::unique_ptr<Plugin>> Make(const Size& size) {
    if (size.value < 0) return Fail("size must not be negative");
    auto made = std::make_unique<Sized>();
    made->size = size.value;
    return made;
  }
  int size = 0;
};

TEST(Registry, FindsFactoriesByName) {
  Registry registry;
  registry.Add<FakeSort>();
  ASSERT_NE(registry.Find("FakeSort"), nullptr);
  EXPECT_EQ((*registry.Find("FakeSort")->operator()({}))->name(), "FakeSort");
  EXPECT_EQ(registry.Find("Other"), nullptr);
}

TEST(Registry, HandsTypedArgumentsOver) {
  Registry registry;
  registry.AddWithArgs<Sized, Size>();
  const PluginFactory& make = *registry.Find("Sized");
  auto size_of = [](const Result<std::unique_ptr<Plugin>>& made) {
    return dynamic_cast<const Sized&>(**made).size;
  };
  EXPECT_EQ(size_of(make(Size{7})), 7);
  EXPECT_EQ(size_of(make({})), 3);
  EXPECT_EQ(make(Size{-1}).error().message, "size must not be negative");
  EXPECT_EQ(make(std::string("{}")).error().message, "arguments are of the wrong type");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
