// Benchmarks of decoding pods from a watch and from a list, as JSON and as protobuf.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "api/protobuf/protobuf_testing.h"
#include "base/check.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"

namespace berth::client {
namespace {

constexpr size_t kPods = 500;
constexpr size_t kChunk = 16 << 10;  // About the size of a TLS record.

// Returns a running pod of a ReplicaSet as an API server sends it: about 3.5 kB.
std::string PodText(size_t i) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"web-7d4b9c6f5-{0:05}","generateName":"web-7d4b9c6f5-","namespace":"default","uid":"5a1e7a52-7b1f-4c0a-9f6e-{0:012}","resourceVersion":"{0}","generation":1,"creationTimestamp":"2026-05-01T12:00:00Z","labels":{{"app":"web","pod-template-hash":"7d4b9c6f5","tier":"front"}},"annotations":{{"prometheus.io/scrape":"true"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d4b9c6f5","uid":"0b7d2c11-5d5c-4a53-8f57-0a4e6a3d8c11","controller":true,"blockOwnerDeletion":true}}],"managedFields":[{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-05-01T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":{{"f:generateName":{{}},"f:labels":{{".":{{}},"f:app":{{}},"f:pod-template-hash":{{}}}},"f:ownerReferences":{{".":{{}},"k:{{\"uid\":\"0b7d2c11-5d5c-4a53-8f57-0a4e6a3d8c11\"}}":{{}}}}}},"f:spec":{{"f:containers":{{"k:{{\"name\":\"web\"}}":{{".":{{}},"f:image":{{}},"f:imagePullPolicy":{{}},"f:name":{{}},"f:resources":{{".":{{}},"f:requests":{{".":{{}},"f:cpu":{{}},"f:memory":{{}}}}}}}}}},"f:dnsPolicy":{{}},"f:restartPolicy":{{}},"f:schedulerName":{{}}}}}}}}]}},"spec":{{"volumes":[{{"name":"kube-api-access-x2k4z","projected":{{"sources":[{{"serviceAccountToken":{{"expirationSeconds":3607,"path":"token"}}}},{{"configMap":{{"name":"kube-root-ca.crt","items":[{{"key":"ca.crt","path":"ca.crt"}}]}}}},{{"downwardAPI":{{"items":[{{"path":"namespace","fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.namespace"}}}}]}}}}],"defaultMode":420}}}}],"containers":[{{"name":"web","image":"registry.example.com/team/web:1.27.3","ports":[{{"containerPort":8080,"protocol":"TCP"}}],"env":[{{"name":"POD_NAME","valueFrom":{{"fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.name"}}}}}}],"resources":{{"limits":{{"cpu":"500m","memory":"512Mi"}},"requests":{{"cpu":"100m","memory":"128Mi"}}}},"volumeMounts":[{{"name":"kube-api-access-x2k4z","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}}],"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default","nodeName":"node-{1}","securityContext":{{}},"schedulerName":"default-scheduler","tolerations":[{{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},{{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"}},"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"True","lastTransitionTime":"2026-05-01T12:00:05Z","observedGeneration":1}},{{"type":"ContainersReady","status":"True","lastTransitionTime":"2026-05-01T12:00:05Z","observedGeneration":1}},{{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-05-01T12:00:01Z","observedGeneration":1}}],"hostIP":"10.0.0.1","podIP":"10.244.1.7","podIPs":[{{"ip":"10.244.1.7"}}],"startTime":"2026-05-01T12:00:01Z","containerStatuses":[{{"name":"web","state":{{"running":{{"startedAt":"2026-05-01T12:00:04Z"}}}},"lastState":{{}},"ready":true,"restartCount":0,"image":"registry.example.com/team/web:1.27.3","imageID":"registry.example.com/team/web@sha256:2f1d6b7c","containerID":"containerd://7c9d1f","started":true}}],"qosClass":"Burstable"}}}})", i,
      i % 100);
}

std::string PodMessage(size_t i) {
  return api::protobuf::EncodeProtobufObject(boost::json::parse(PodText(i)), "v1", "Pod");
}

std::string WatchBytes(WireForm form) {
  std::string bytes;
  for (size_t i = 0; i < kPods; ++i) {
    if (form == WireForm::kJson) {
      bytes += R"({"type":"MODIFIED","object":)" + PodText(i) + "}\n";
    } else {
      bytes += api::protobuf::ProtobufWatchFrame(
          "MODIFIED", api::protobuf::InEnvelope("v1", "Pod", PodMessage(i)));
    }
  }
  return bytes;
}

void ReadWatch(benchmark::State& state, WireForm form) {
  const std::string bytes = WatchBytes(form);
  const ObjectCodec codec = CodecOf<api::Pod>();
  size_t pods = 0;
  std::vector<api::Object> kept;
  for (auto _ : state) {
    WatchFrames frames(form);
    kept.clear();
    for (size_t at = 0; at < bytes.size(); at += kChunk) {
      frames.Add(std::string_view(bytes).substr(at, kChunk));
      for (auto frame = frames.Next(); *frame; frame = frames.Next()) {
        auto event = ReadWatchEvent(**frame, form, codec);
        kept.push_back(*std::move(event->received->object));
      }
    }
    CHECK(kept.size() == kPods);
    pods += kept.size();
  }
  state.SetItemsProcessed(static_cast<int64_t>(pods));
  state.counters["bytes_per_pod"] = static_cast<double>(bytes.size()) / kPods;
}
BENCHMARK_CAPTURE(ReadWatch, json, WireForm::kJson);
BENCHMARK_CAPTURE(ReadWatch, protobuf, WireForm::kProtobuf);

void ReadList(benchmark::State& state, WireForm form) {
  std::string items;
  for (size_t i = 0; i < kPods; ++i) {
    if (form == WireForm::kJson) {
      items += (i == 0 ? "" : ",") + PodText(i);
    } else {
      items += api::protobuf::ProtobufBytes(2, PodMessage(i));
    }
  }
  const std::string body =
      form == WireForm::kJson
          ? R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)" + items + "]}"
          : api::protobuf::InEnvelope("v1", "PodList", items);
  size_t pods = 0;
  for (auto _ : state) {
    const auto page = ReadListPage(body, form, CodecOf<api::Pod>());
    CHECK(page.has_value());
    pods += page->items.size();
  }
  state.SetItemsProcessed(static_cast<int64_t>(pods));
}
BENCHMARK_CAPTURE(ReadList, json, WireForm::kJson);
BENCHMARK_CAPTURE(ReadList, protobuf, WireForm::kProtobuf);

}  // namespace
}  // namespace berth::client
