// Claims and slices that are hard to search: what the API's validation accepts at its limits. A
// test bounds the work of each, a benchmark prints its time.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/devices/devices_testing.h"

namespace berth::scheduler::devices {

struct HostileCase {
  const char* name;
  std::vector<std::string> objects;  // Slices and classes.
  std::vector<std::string> claims;   // Of one pod.
  // The result; null if the search may also end at its limit.
  const char* want = nullptr;
};

// The eight GPUs of a node, each with fourteen partitions that draw on sixteen counters.
inline std::string PartitionableGpus();

namespace hostile {

// The items item(0), item(1) and so on, as the inside of a list.
inline std::string List(size_t count, const std::function<std::string(size_t)>& item) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + item(i);
  return list;
}

// `count` requests for one device each.
inline std::string Singles(size_t count, std::string_view more = "", size_t first = 0) {
  return List(count, [&](size_t i) { return RequestYaml(fmt::format("r{}", first + i), 1, more); });
}

inline std::string Constraints(std::string_view constraints) {
  return fmt::format("constraints: [{}]", constraints);
}

// Devices with one attribute, a name made of the letters of `values`.
inline std::string WithValues(size_t count, size_t values) {
  return List(count, [&](size_t i) {
    return fmt::format("{{name: d{}, attributes: {{v: {{int: {}}}}}}}", i, i % values);
  });
}

inline HostileCase Case(const char* name, std::string devices, std::vector<std::string> claims,
                        const char* want = nullptr) {
  return {name,
          {SliceYaml("s", {.devices = std::move(devices)}), ClassYaml("gpu")},
          std::move(claims),
          want};
}

// --- constraints ---

inline HostileCase RepeatedDistinctAttribute() {
  return Case("the same distinctAttribute 32 times", WithValues(16, 8),
              {ClaimYaml("c", Singles(16),
                         Constraints(List(
                             32, [](size_t) { return std::string("{distinctAttribute: d/v}"); })))},
              "not found");
}

inline HostileCase DistinctOfDevicesOfOneRequest() {
  return Case("distinctAttribute of 15 of 16 devices, and another that does not exist",
              WithValues(16, 2),
              {ClaimYaml("c",
                         RequestYaml("r", 15) + ", " +
                             RequestYaml("s", 1, Selecting("device.attributes[\"d\"].v == 7")),
                         Constraints("{requests: [r], distinctAttribute: d/v}"))},
              "not found");
}

inline std::string LongValue(size_t device, size_t attribute) {
  return fmt::format("{:061}", (device * (attribute + 1)) % 31);
}

inline HostileCase DistinctAttributesOfLongStrings() {
  const std::string devices = List(64, [](size_t i) {
    return fmt::format("{{name: d{}, attributes: {{{}}}}}", i, List(32, [&](size_t a) {
                         return fmt::format("a{}: {{string: '{}'}}", a, LongValue(i, a));
                       }));
  });
  return Case(
      "32 distinct attributes of 61 bytes with 31 values", devices,
      {ClaimYaml(
          "c", Singles(32),
          Constraints(
              List(32, [](size_t a) { return fmt::format("{{distinctAttribute: d/a{}}}", a); })))},
      "not found");
}

// Five of the requests have four values among them.
inline HostileCase DistinctOfFewRequests() {
  const std::string few = Selecting("device.attributes[\"d\"].v < 4");
  return Case("distinctAttribute of requests some of which have few values", WithValues(64, 40),
              {ClaimYaml("c", Singles(20) + ", " + Singles(5, few, 20),
                         Constraints("{distinctAttribute: d/v}"))},
              "not found");
}

inline HostileCase LateMatchConflict() {
  const std::string devices = List(64, [](size_t i) {
    return fmt::format("{{name: d{}, attributes: {{root: {{int: {}}}, v: {{int: {}}}}}}}", i, i % 2,
                       i);
  });
  return Case(
      "matchAttribute that the last request violates", devices,
      {ClaimYaml("c",
                 Singles(30) + ", " +
                     RequestYaml("x", 1, Selecting("device.attributes[\"d\"].v == 1")) + ", " +
                     RequestYaml("z", 1, Selecting("device.attributes[\"d\"].v == 2")),
                 Constraints("{matchAttribute: d/root}"))},
      "not found");
}

// Each pair of neighbours in a ring of odd length must differ, with two values: no colouring.
inline HostileCase Colouring() {
  const std::string ring = List(31, [](size_t i) {
    return fmt::format("{{requests: [r{}, r{}], distinctAttribute: d/v}}", i, (i + 1) % 31);
  });
  return Case("an odd ring of distinct attributes with two values", WithValues(64, 2),
              {ClaimYaml("c", Singles(31), Constraints(ring))});
}

// Requests that must match in pairs, each pair by another attribute, of devices that all differ.
inline HostileCase MatchingPairs() {
  const std::string devices = List(64, [](size_t i) {
    return fmt::format("{{name: d{}, attributes: {{{}}}}}", i, List(31, [&](size_t a) {
                         return fmt::format("a{}: {{int: {}}}", a, (i * (2 * a + 3)) % 61 % 7);
                       }));
  });
  const std::string pairs = List(31, [](size_t a) {
    return fmt::format("{{requests: [r{}, r{}], matchAttribute: d/a{}}}", a, a + 1, a);
  });
  const std::string distinct = ", {requests: [r0, r31], distinctAttribute: d/a0}";
  return Case("a chain of matchAttributes over devices that differ", devices,
              {ClaimYaml("c", Singles(32), Constraints(pairs + distinct))});
}

// --- requests ---

inline std::string FirstAvailable(size_t request, size_t alternatives,
                                  const std::function<std::string(size_t)>& more) {
  return fmt::format("{{name: r{}, firstAvailable: [{}]}}", request,
                     List(alternatives, [&](size_t a) {
                       return fmt::format("{{name: a{}, deviceClassName: gpu, {}}}", a, more(a));
                     }));
}

inline HostileCase AlternativesThatExceedTheClaim() {
  const auto count = [](size_t a) {
    return fmt::format("allocationMode: ExactCount, count: {}", a == 7 ? 1 : 9 - a);
  };
  return Case("32 requests of which only the last of 8 alternatives leaves room for all",
              WithValues(32, 32),
              {ClaimYaml("c", List(32, [&](size_t r) { return FirstAvailable(r, 8, count); }))});
}

inline HostileCase AlternativesOfAnImpossibleClaim() {
  const auto one = [](size_t a) {
    return fmt::format("allocationMode: ExactCount, count: 1, {}",
                       Selecting(fmt::format("device.attributes[\"d\"].v != {}", a)));
  };
  return Case(
      "31 requests with 8 alternatives and one that cannot be met", WithValues(64, 8),
      {ClaimYaml("c", List(31, [&](size_t r) { return FirstAvailable(r, 8, one); }) + ", " +
                          RequestYaml("x", 1, Selecting("device.attributes[\"d\"].v == 9")))},
      "not found");
}

inline HostileCase AdminAccess() {
  return Case(
      "31 requests with admin access and one that cannot be met", WithValues(64, 64),
      {ClaimYaml("c", Singles(31, "adminAccess: true") + ", " +
                          RequestYaml("x", 1, Selecting("device.attributes[\"d\"].v == 99")))},
      "not found");
}

inline HostileCase AllDevicesManyTimes() {
  const auto all = [](size_t a) {
    return fmt::format("allocationMode: All, {}",
                       Selecting(fmt::format("device.attributes[\"d\"].v == {}", 900 + a)));
  };
  return Case("all devices, 31 times 8 alternatives", WithValues(128, 128),
              {ClaimYaml("c", List(31, [&](size_t r) { return FirstAvailable(r, 8, all); }))});
}

inline HostileCase MoreRequestsThanDevices() {
  return Case("32 requests for 31 devices that all differ", WithValues(31, 31),
              {ClaimYaml("c", Singles(32, Selecting("device.attributes[\"d\"].v >= 0")))},
              "not found");
}

inline HostileCase ManyClaims() {
  std::vector<std::string> claims;
  for (int i = 0; i < 40; ++i)
    claims.push_back(ClaimYaml(fmt::format("c{}", i), RequestYaml("r", 4)));
  return Case("40 claims for 160 of 128 devices", WithValues(128, 16), std::move(claims),
              "not found");
}

// Of expressions that are errors for the last device, nothing can be left out.
inline HostileCase FailingExpression() {
  const std::string devices = WithValues(40, 40) + ", {name: odd, attributes: {w: {int: 1}}}";
  return Case(
      "an expression that fails for the last device", devices,
      {ClaimYaml("c", RequestYaml("r", 20, Selecting("\"v\" in device.attributes[\"d\"]")) + ", " +
                          RequestYaml("s", 12) + ", " +
                          RequestYaml("t", 1, Selecting("device.attributes[\"d\"].w > 0")))});
}

// --- capacities ---

inline std::string Shareable(size_t count, size_t capacities, std::string_view value,
                             std::string_view more = "") {
  return List(count, [&](size_t i) {
    return fmt::format("{{name: d{}, allowMultipleAllocations: true, capacity: {{{}}}}}", i,
                       List(capacities, [&](size_t c) {
                         return fmt::format("c{}: {{value: {}{}}}", c, value, more);
                       }));
  });
}

inline HostileCase ManyCapacities() {
  const std::string capacities = List(31, [](size_t c) { return fmt::format("c{}: 2", c); });
  return Case(
      "31 capacities of shareable devices, 32 requests", Shareable(10, 31, "7"),
      {ClaimYaml("c", Singles(32, fmt::format("capacity: {{requests: {{{}}}}}", capacities)))},
      "not found");
}

// Each request consumes another amount of each capacity.
inline HostileCase DifferentCapacities() {
  return Case("31 capacities, all requests with different amounts", Shareable(16, 31, "64"),
              {ClaimYaml("c", List(32, [](size_t r) {
                           const std::string amounts = List(31, [&](size_t c) {
                             return fmt::format("c{}: {}", c, 22 + (r * 7 + c * 5) % 11);
                           });
                           return RequestYaml(
                               fmt::format("r{}", r), 1,
                               fmt::format("capacity: {{requests: {{{}}}}}", amounts));
                         }))});
}

inline HostileCase CapacityPolicies() {
  return Case("capacities with steps, requests of different sizes",
              Shareable(12, 4, "100",
                        ", requestPolicy: {default: 1, validRange: {min: 1, step: 3, max: 100}}"),
              {ClaimYaml("c", List(32, [](size_t r) {
                           return RequestYaml(
                               fmt::format("r{}", r), 1,
                               fmt::format("capacity: {{requests: {{c0: {}, c1: {}}}}}", 30 + r % 9,
                                           45 - r % 7));
                         }))});
}

inline HostileCase LongNumbers() {
  const std::string digits(20'000, '7');
  return Case(
      "capacity requests of 20,000 digits", Shareable(32, 31, "7"),
      {ClaimYaml("c", Singles(32, fmt::format("capacity: {{requests: {{c0: '{}'}}}}", digits)))},
      "not found");
}

// --- counters ---

// Slices of a pool with `sets` sets of 32 counters, and of 64 devices that each draw on all
// counters of two of the first `used` sets.
inline std::vector<std::string> ManyCounters(size_t sets, size_t used, int64_t value) {
  const size_t slices = (sets + 7) / 8;
  const auto count = static_cast<int64_t>(slices + 1);
  std::vector<std::string> objects = {ClassYaml("gpu")};
  for (size_t s = 0; s < slices; ++s) {
    const std::string of_slice = List(8, [&](size_t i) {
      return fmt::format("{{name: set-{}, counters: {{{}}}}}", s * 8 + i, List(32, [&](size_t c) {
                           return fmt::format("c{}: {{value: {}}}", c, value);
                         }));
    });
    objects.push_back(SliceYaml(fmt::format("counters-{}", s),
                                {.count = count, .more = "sharedCounters: [" + of_slice + "]"}));
  }
  const std::string devices = List(64, [&](size_t i) {
    const std::string uses = List(2, [&](size_t u) {
      return fmt::format("{{counterSet: set-{}, counters: {{{}}}}}", (i * (u + 1) + u) % used,
                         List(32, [&](size_t c) {
                           return fmt::format("c{}: {{value: {}}}", c, 1 + (i * 5 + c * 3) % 7);
                         }));
    });
    return fmt::format("{{name: d{}, consumesCounters: [{}]}}", i, uses);
  });
  objects.push_back(SliceYaml("devices", {.devices = devices, .count = count}));
  return objects;
}

inline HostileCase Counters(const char* name, size_t sets, size_t used, int64_t value) {
  return {name, ManyCounters(sets, used, value), {ClaimYaml("c", Singles(32))}};
}

inline std::string Partition(size_t gpu, std::string_view profile, size_t place, size_t compute,
                             size_t memory, size_t first) {
  std::string counters =
      fmt::format("compute: {{value: {}}}, copy: {{value: {}}}", compute, compute);
  for (size_t slice = first; slice < first + memory; ++slice)
    counters += fmt::format(", memory-slice-{}: {{value: 1}}", slice);
  for (const char* engine : {"decoders", "encoders", "jpegs", "ofas", "extensions", "links"})
    counters += fmt::format(", {}: {{value: {}}}", engine, compute > 3 ? 1 : 0);
  return fmt::format(
      "{{name: gpu-{}-{}-{}, attributes: {{profile: {{string: {}}}, parent: {{int: {}}}}}, "
      "capacity: {{memory: {{value: {}Gi}}}}, consumesCounters: [{{counterSet: gpu-{}, counters: "
      "{{{}}}}}]}}",
      gpu, profile, place, profile, gpu, 10 * memory, gpu, counters);
}

// A claim for `big` halves of GPUs and `small` sevenths.
inline std::string Partitions(size_t big, size_t small) {
  const auto profile = [](const char* name) {
    return Selecting(fmt::format("device.attributes[\"d\"].profile == \"{}\"", name));
  };
  return ClaimYaml("c", RequestYaml("big", static_cast<int64_t>(big), profile("half")) + ", " +
                            RequestYaml("small", static_cast<int64_t>(small), profile("seventh")));
}

inline HostileCase OfPartitions(const char* name, std::vector<std::string> claims,
                                const char* want) {
  return {name, {PartitionableGpus(), ClassYaml("gpu")}, std::move(claims), want};
}

// --- expressions and objects ---

inline HostileCase SlowExpression() {
  const std::string ten = "[0,1,2,3,4,5,6,7,8,9]";
  return Case(
      "an expression that takes a million units", WithValues(64, 64),
      {ClaimYaml("c", Singles(32, Selecting(ten + ".all(a, " + ten + ".all(b, " + ten + ".all(c, " +
                                            ten + ".all(e, a + b + c + e >= 0))))")))});
}

inline HostileCase ManyExpressions() {
  return Case("32 times 32 expressions", WithValues(128, 128),
              {ClaimYaml("c",
                         List(32,
                              [](size_t r) {
                                const std::string selectors = List(32, [&](size_t s) {
                                  return fmt::format(
                                      "{{cel: {{expression: 'device.attributes[\"d\"].v != {}'}}}}",
                                      1000 + r * 32 + s);
                                });
                                return RequestYaml(fmt::format("r{}", r), 1,
                                                   "selectors: [" + selectors + "]");
                              }),
                         Constraints("{distinctAttribute: d/none}"))},
              nullptr);
}

inline HostileCase LongExpressions() {
  return Case("a megabyte of expressions", WithValues(16, 16),
              {ClaimYaml("c", List(32,
                                   [](size_t r) {
                                     std::string text = fmt::format("device.driver != \"{}\"", r);
                                     while (text.size() < 10'000)
                                       text +=
                                           fmt::format(" && device.driver != \"{}\"", text.size());
                                     return RequestYaml(
                                         fmt::format("r{}", r), 1,
                                         "selectors: [" + List(3, [&](size_t s) {
                                           return fmt::format(
                                               "{{cel: {{expression: '{} && {} >= 0'}}}}", text, s);
                                         }) + "]");
                                   }))},
              "timed out");
}

inline HostileCase ManyTolerations() {
  const std::string taints = List(
      16, [](size_t t) { return fmt::format("{{key: k{}, value: v, effect: NoSchedule}}", t); });
  const std::string devices =
      List(64, [&](size_t i) { return fmt::format("{{name: d{}, taints: [{}]}}", i, taints); });
  const std::string tolerations =
      List(2'000, [](size_t t) { return fmt::format("{{key: x{}, operator: Exists}}", t); });
  return Case("2,000 tolerations in each of 8 requests", devices,
              {ClaimYaml("c", Singles(8, "tolerations: [" + tolerations + "]"))});
}

inline HostileCase ManyPools() {
  HostileCase made{"1,000 pools of 8 devices, 32 requests that must match", {ClassYaml("gpu")}, {}};
  for (size_t p = 0; p < 1'000; ++p) {
    made.objects.push_back(SliceYaml(
        fmt::format("s{}", p),
        {.devices = List(8,
                         [&](size_t i) {
                           return fmt::format(
                               "{{name: d{}, attributes: {{pool: {{int: {}}}, v: {{int: {}}}}}}}",
                               i, p, i);
                         }),
         .nodes = "allNodes: true",
         .pool = fmt::format("p{}", p)}));
  }
  made.claims = {ClaimYaml("c", Singles(9), Constraints("{matchAttribute: d/pool}"))};
  return made;
}

}  // namespace hostile

inline std::string PartitionableGpus() {
  std::string counters, devices;
  for (size_t gpu = 0; gpu < 8; ++gpu) {
    counters += fmt::format(
        "{{name: gpu-{}, counters: {{compute: {{value: 7}}, copy: {{value: 7}}, decoders: {{value: "
        "5}}, encoders: {{value: 5}}, jpegs: {{value: 1}}, ofas: {{value: 1}}, extensions: "
        "{{value: 1}}, links: {{value: 1}}, {}}}}}, ",
        gpu,
        hostile::List(8, [](size_t s) { return fmt::format("memory-slice-{}: {{value: 1}}", s); }));
    devices += hostile::Partition(gpu, "whole", 0, 7, 8, 0) + ", " +
               hostile::Partition(gpu, "most", 0, 4, 4, 0) + ", ";
    for (size_t i = 0; i < 2; ++i)
      devices += hostile::Partition(gpu, "half", i, 3, 4, 4 * i) + ", ";
    for (size_t i = 0; i < 3; ++i)
      devices += hostile::Partition(gpu, "quarter", i, 2, 2, 2 * i) + ", ";
    for (size_t i = 0; i < 7; ++i) devices += hostile::Partition(gpu, "seventh", i, 1, 1, i) + ", ";
  }
  return SliceYaml("counters", {.count = 2, .more = "sharedCounters: [" + counters + "]"}) +
         SliceYaml("devices", {.devices = devices, .count = 2});
}

inline std::vector<HostileCase> MakeHostileCases() {
  return {
      hostile::RepeatedDistinctAttribute(),
      hostile::DistinctOfDevicesOfOneRequest(),
      hostile::DistinctAttributesOfLongStrings(),
      hostile::DistinctOfFewRequests(),
      hostile::LateMatchConflict(),
      hostile::Colouring(),
      hostile::MatchingPairs(),
      hostile::AlternativesThatExceedTheClaim(),
      hostile::AlternativesOfAnImpossibleClaim(),
      hostile::AdminAccess(),
      hostile::AllDevicesManyTimes(),
      hostile::MoreRequestsThanDevices(),
      hostile::ManyClaims(),
      hostile::FailingExpression(),
      hostile::ManyCapacities(),
      hostile::DifferentCapacities(),
      hostile::CapacityPolicies(),
      hostile::LongNumbers(),
      hostile::OfPartitions("8 partitionable GPUs, any 32 partitions",
                            {ClaimYaml("c", RequestYaml("r", 32))}, nullptr),
      hostile::OfPartitions(
          "8 partitionable GPUs, 64 partitions for two claims",
          {ClaimYaml("c", RequestYaml("r", 32)), ClaimYaml("e", RequestYaml("r", 32))},
          "not found"),
      hostile::OfPartitions("8 partitionable GPUs, 15 halves and 9 sevenths",
                            {hostile::Partitions(15, 9)}, "not found"),
      hostile::OfPartitions("8 partitionable GPUs, 8 halves and 24 sevenths",
                            {hostile::Partitions(8, 24)}, nullptr),
      hostile::OfPartitions("8 partitionable GPUs, 32 sevenths of one GPU",
                            {ClaimYaml("c", hostile::Singles(32),
                                       hostile::Constraints("{matchAttribute: d/parent}"))},
                            "not found"),
      hostile::Counters("1,024 counters, 32 devices with 64 of them each", 32, 32, 9),
      hostile::Counters("10,240 counters, 32 devices with 64 of them each", 320, 8, 30),
      hostile::Counters("256 counters, 32 devices with 64 of them each", 8, 8, 30),
      hostile::SlowExpression(),
      hostile::ManyExpressions(),
      hostile::LongExpressions(),
      hostile::ManyTolerations(),
      hostile::ManyPools(),
  };
}

}  // namespace berth::scheduler::devices
