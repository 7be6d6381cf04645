#include "scheduler/framework/measurements.h"

namespace berth::scheduler::framework {

std::string_view ToString(MeasuredPoint point) {
  static constexpr std::string_view kNames[kMeasuredPoints] = {"PreEnqueue",
                                                               "PreFilter",
                                                               "Filter",
                                                               "PreFilterExtensionAddPod",
                                                               "PreFilterExtensionRemovePod",
                                                               "PostFilter",
                                                               "PreScore",
                                                               "Score",
                                                               "ScoreExtensionNormalize",
                                                               "Reserve",
                                                               "Unreserve",
                                                               "Permit",
                                                               "PreBindPreFlight",
                                                               "PreBind",
                                                               "Bind",
                                                               "PostBind",
                                                               "PlacementGenerate",
                                                               "PlacementScore"};
  return kNames[static_cast<size_t>(point)];
}

}  // namespace berth::scheduler::framework
