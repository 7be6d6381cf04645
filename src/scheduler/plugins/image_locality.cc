#include "scheduler/plugins/image_locality.h"

#include <algorithm>

#include "base/saturating.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {
namespace {

constexpr int64_t kMegabyte = 1024 * 1024;
constexpr int64_t kTooSmallToMatter = 23 * kMegabyte;
constexpr int64_t kEnoughPerContainer = 1000 * kMegabyte;
// Sizes that nodes report count up to here: more than enough for any pod, and sums do not overflow.
constexpr double kMaxSize = static_cast<double>(int64_t{1} << 53);

struct PodImages final : framework::ClassState {
  explicit PodImages(SymbolTable& table) : symbols(table) {}

  SymbolHolder symbols;
  std::vector<Symbol> names;  // One per use: an image used twice counts twice.
  int64_t containers = 0;
};

// An image of the pod that some node has, and its score.
struct HeldImage {
  model::ImageId id;
  int64_t worth = 0;
};

std::vector<HeldImage> WorthOf(const PodImages& pod, const model::NodeTable& nodes) {
  std::vector<HeldImage> held;
  for (Symbol name : pod.names) {
    const model::ImageId id = nodes.images().Find(name);
    if (!id.valid()) continue;
    const model::Images::Image& image = nodes.images().image(id);
    const double spread =
        static_cast<double>(image.nodes) / static_cast<double>(nodes.present_count());
    const double size = std::clamp(static_cast<double>(image.size), 0.0, kMaxSize);
    held.push_back({id, static_cast<int64_t>(size * spread)});
  }
  return held;
}

// The sum over the images that the node has.
int64_t WorthOn(const std::vector<HeldImage>& held, const model::Images& images,
                model::NodeRow node) {
  int64_t sum = 0;
  for (const HeldImage& image : held) {
    if (images.Holds(node, image.id)) sum = SaturatingAdd(sum, image.worth);
  }
  return sum;
}

int64_t ScoreFor(int64_t worth, const PodImages& pod) {
  const int64_t enough = kEnoughPerContainer * pod.containers;
  worth = worth < kTooSmallToMatter ? kTooSmallToMatter : std::min(worth, enough);
  return ImageLocality::kMaxScore * (worth - kTooSmallToMatter) / (enough - kTooSmallToMatter);
}

}  // namespace

std::unique_ptr<framework::ClassState> ImageLocality::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<PodImages>(cluster.mutable_symbols());
  const api::PodSpec& spec = pod_class.spec();
  auto use = [&](const std::string& image) {
    state->names.push_back(state->symbols.Intern(model::NormalizedImageName(image)));
  };
  for (const api::Container& container : spec.init_containers) use(container.image);
  for (const api::Container& container : spec.containers) use(container.image);
  for (const api::Volume& volume : spec.volumes) {
    if (const auto* image = std::get_if<api::ImageSource>(&volume.source)) use(image->reference);
  }
  state->containers = static_cast<int64_t>(spec.init_containers.size() + spec.containers.size());
  return state;
}

framework::Verdict ImageLocality::Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                                        std::span<int64_t> out) const {
  const auto& pod = cycle.compiled<PodImages>(*this);
  const model::Images& images = cycle.nodes().images();
  const std::vector<HeldImage> held = WorthOf(pod, cycle.nodes());
  nodes.ForEach([&](size_t row) {
    out[row] = ScoreFor(WorthOn(held, images, model::NodeRow{static_cast<uint32_t>(row)}), pod);
  });
  return {};
}

framework::Described ImageLocality::DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                                  framework::SearchRules& rules) const {
  const auto& pod = cycle.compiled<PodImages>(*this);
  int64_t sum = 0;  // Nodes may claim that an image has less than no bytes.
  for (const HeldImage& image : WorthOf(pod, cycle.nodes()))
    sum = SaturatingAdd(sum, std::max<int64_t>(image.worth, 0));
  const int64_t highest = ScoreFor(sum, pod);
  if (highest == 0) return framework::Described::kYes;
  rules.other_scorers.push_back({this, weight});
  rules.bound.others += weight * static_cast<int32_t>(highest);
  return framework::Described::kYes;
}

int64_t ImageLocality::ScoreOneNode(const framework::Cycle& cycle, model::NodeRow node) const {
  const auto& pod = cycle.compiled<PodImages>(*this);
  return ScoreFor(WorthOn(WorthOf(pod, cycle.nodes()), cycle.nodes().images(), node), pod);
}

uint64_t ImageLocality::score_epoch(const model::Cluster& cluster) const {
  return (cluster.nodes().images().version() << 24) + cluster.nodes().present_count();
}

}  // namespace berth::scheduler::plugins
