#include "config/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::config {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Notes, SayNothingAboutTheDefaults) { EXPECT_THAT(Notes(Default()), IsEmpty()); }

TEST(Notes, TellThatGangsAreNotFormed) {
  Configuration configuration = Default();
  SchedulerProfile& profile = configuration.profiles[0];
  profile.multi_point.enabled = {{"PrioritySort", 0}, {"GangScheduling", 0}};
  profile.points[static_cast<size_t>(ExtensionPoint::kPermit)].enabled = {{"GangScheduling", 0}};
  constexpr const char* kWhy =
      ": GangScheduling has no effect: the feature gate GangScheduling (alpha) is off, so pods are "
      "placed one by one and no gangs are formed";
  EXPECT_THAT(Notes(configuration),
              ElementsAre(std::string("profiles[0].plugins.multiPoint.enabled[1]") + kWhy,
                          std::string("profiles[0].plugins.permit.enabled[0]") + kWhy));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::config
