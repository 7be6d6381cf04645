#include "scheduler/framework/rating.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>

#include "base/check.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/scored_columns.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {
namespace {

// The score of one resource, if it is part of the average.
struct LeastUsed {
  static constexpr bool kCountsZero = true;
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return requested > allocatable ? 0 : Percent(allocatable - requested, allocatable);
  }
  static int64_t Average(int64_t sum, int64_t weights) { return sum / weights; }
};

struct MostUsed {
  static constexpr bool kCountsZero = true;
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return Percent(std::min(requested, allocatable), allocatable);
  }
  static int64_t Average(int64_t sum, int64_t weights) { return sum / weights; }
};

struct ByShape {
  static constexpr bool kCountsZero = false;
  std::span<const ShapePoint> shape;
  int64_t operator()(int64_t requested, int64_t allocatable) const {
    return BrokenLinear(shape, requested > allocatable ? 100 : Percent(requested, allocatable));
  }
  static int64_t Average(int64_t sum, int64_t weights) {
    return std::llround(static_cast<double>(sum) / static_cast<double>(weights));
  }
};

// Resources that the node does not have are not part of the average.
template <typename PerResource>
int64_t AverageOn(std::span<const ScoredResource> resources,
                  std::span<const ResourceColumns> columns, size_t row,
                  const PerResource& per_resource) {
  int64_t sum = 0, weights = 0;
  for (size_t i = 0; i < resources.size(); ++i) {
    if (columns[i].allocatable == nullptr) continue;
    const int64_t allocatable = columns[i].allocatable[row];
    if (allocatable == 0) continue;
    const int64_t score =
        per_resource(columns[i].RequestedWith(resources[i].request, row), allocatable);
    if (!PerResource::kCountsZero && score <= 0) continue;
    sum += score * resources[i].weight;
    weights += resources[i].weight;
  }
  return weights == 0 ? 0 : PerResource::Average(sum, weights);
}

// Calls visit(function of a row of these columns).
template <typename Visit>
void WithScore(const UsageScore& score, std::span<const ResourceColumns> columns, Visit&& visit) {
  const auto by = [&](const auto& per_resource) {
    visit([&](size_t row) { return AverageOn(score.resources, columns, row, per_resource); });
  };
  switch (score.curve) {
    case UsageScore::Curve::kLeast:
      return by(LeastUsed{});
    case UsageScore::Curve::kMost:
      return by(MostUsed{});
    case UsageScore::Curve::kBroken:
      return by(ByShape{score.shape});
  }
}

// How even the fractions are, 0..100. The order of operations decides the last bit.
int64_t Balance(std::span<const double> fractions) {
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    double sum = 0;
    for (double fraction : fractions) sum += fraction;
    const double mean = sum / static_cast<double>(fractions.size());
    double squares = 0;
    for (double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(squares / static_cast<double>(fractions.size()));
  }
  return static_cast<int64_t>((1 - deviation) * 100);
}

double Fraction(int64_t used, int64_t allocatable) {
  return std::min(static_cast<double>(used) / static_cast<double>(allocatable), 1.0);
}

// 75 if the pod does not change the balance, more if it improves it, less if it worsens it.
template <typename Visit>
void WithScore(const BalanceScore& score, std::span<const ResourceColumns> columns, Visit&& visit) {
  boost::container::small_vector<double, 8> before(columns.size()), after(columns.size());
  visit([&](size_t row) {
    size_t count = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto& [allocatable, requested] = columns[i];
      if (allocatable == nullptr || allocatable[row] == 0) continue;
      before[count] = Fraction(requested[row], allocatable[row]);
      after[count] =
          Fraction(columns[i].RequestedWith(score.resources[i].request, row), allocatable[row]);
      ++count;
    }
    const int64_t gain = Balance({after.data(), count}) - Balance({before.data(), count});
    return 50 + (50 + gain) / 2;
  });
}

// UsageScore counts pods without requests with small defaults, BalanceScore does not.
constexpr bool CountsDefaults(const UsageScore&) { return true; }
constexpr bool CountsDefaults(const BalanceScore&) { return false; }

template <typename Score>
void ScoreByColumns(const Score& score, const Cycle& cycle, const model::NodeMask& nodes,
                    std::span<int64_t> out) {
  const ScoredColumns scored(cycle, score.resources, nodes, CountsDefaults(score));
  WithScore(score, scored.columns(),
            [&](auto&& of) { nodes.ForEach([&](size_t row) { out[row] = of(row); }); });
}

template <typename Score>
int64_t ScoreByColumns(const Score& score, const Cycle& cycle, model::NodeRow node) {
  const model::NodeColumns& columns = cycle.nodes().columns();
  boost::container::small_vector<ResourceColumns, 4> scored;
  for (const ScoredResource& resource : score.resources)
    scored.push_back(ColumnsOf(resource, columns, CountsDefaults(score)));
  int64_t result = 0;
  WithScore(score, {scored.data(), scored.size()}, [&](auto&& of) { result = of(node.index()); });
  return result;
}

// Reports whether devices may provide some of the resources, on nodes that list none.
bool MayCountDevices(std::span<const ScoredResource> resources) {
  return std::ranges::any_of(resources, [](const ScoredResource& resource) {
    return resource.kind == ScoredResource::Kind::kScalar;
  });
}

}  // namespace

void ScoreNodes(const Rating& rating, const Cycle& cycle, const model::NodeMask& nodes,
                std::span<int64_t> out) {
  struct {
    void operator()(const Unrated&) const { CHECK(false); }
    void operator()(const NoScores&) const { (*this)(EqualScores{}); }
    void operator()(const EqualScores&) const {
      nodes.ForEach([&](size_t row) { out[row] = 0; });
    }
    void operator()(const StaticScore& score) const {
      nodes.ForEach([&](size_t row) {
        out[row] = score.value->Of(cycle, model::NodeRow{static_cast<uint32_t>(row)});
      });
    }
    void operator()(const UsageScore& score) const { ScoreByColumns(score, cycle, nodes, out); }
    void operator()(const BalanceScore& score) const { ScoreByColumns(score, cycle, nodes, out); }

    const Cycle& cycle;
    const model::NodeMask& nodes;
    const std::span<int64_t> out;
  } const score{cycle, nodes, out};
  std::visit(score, rating);
}

int64_t ScoreNode(const Rating& rating, const Cycle& cycle, model::NodeRow node) {
  if (const auto* usage = std::get_if<UsageScore>(&rating);
      usage != nullptr && !MayCountDevices(usage->resources))
    return ScoreByColumns(*usage, cycle, node);
  if (const auto* balance = std::get_if<BalanceScore>(&rating);
      balance != nullptr && !MayCountDevices(balance->resources))
    return ScoreByColumns(*balance, cycle, node);
  if (const auto* fixed = std::get_if<StaticScore>(&rating)) return fixed->value->Of(cycle, node);
  model::NodeMask alone(cycle.nodes().rows());
  alone.Set(node.index());
  std::vector<int64_t> scores(alone.size());
  ScoreNodes(rating, cycle, alone, scores);
  return scores[node.index()];
}

void Normalize(Scale scale, const model::NodeMask& feasible, std::span<int64_t> scores) {
  if (scale == Scale::kNone) return;
  DefaultNormalize(feasible, /*reverse=*/scale == Scale::kHighestReversed, scores);
}

}  // namespace berth::scheduler::framework
