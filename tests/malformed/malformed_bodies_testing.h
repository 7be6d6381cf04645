// Malformed request bodies: text that is not JSON, JSON that is not an object, and invalid objects
// and patches.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace berth::apiserver {

struct Malformed {
  std::string method;
  std::string target;
  std::string body;
  std::string headers;
  int code;
};

inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kMaps = "/api/v1/namespaces/default/configmaps";

inline std::string Type(const std::string& type) { return "Content-Type: " + type + "\r\n"; }

inline std::vector<Malformed> BadBodies() {
  std::vector<Malformed> all;
  const std::string deep_lists(5000, '[');
  std::string deep_objects;
  for (int i = 0; i < 2000; ++i) deep_objects += "{\"a\":";
  for (const std::string& body : {std::string("{"),
                                  std::string("}"),
                                  std::string("{]"),
                                  std::string("nul"),
                                  std::string("{\"a\"}"),
                                  std::string("{\"a\":}"),
                                  std::string("{a:1}"),
                                  std::string("{'a':1}"),
                                  std::string("{\"a\":1,}"),
                                  std::string("{\"a\":01}"),
                                  std::string("{\"a\":+1}"),
                                  std::string("{\"a\":1e}"),
                                  std::string(R"({"metadata":{"name":"z"},"a":[1e999]})"),
                                  std::string(R"({"metadata":{"name":"z"},"a":{"b":0e999}})"),
                                  std::string("{\"a\":\"\\x\"}"),
                                  std::string("{\"a\":\"\\ud800\"}"),
                                  std::string("{\"a\":\"\xff\"}"),
                                  std::string("{\"a\":\"\xc0\xaf\"}"),
                                  std::string("{\"a\":\"\n\"}"),
                                  std::string("{\"a\":\"b"),
                                  std::string("{}{}"),
                                  std::string("{} x"),
                                  std::string("[]"),
                                  std::string("\"text\""),
                                  std::string("5"),
                                  std::string("null"),
                                  std::string("true"),
                                  std::string("<html>"),
                                  std::string("\0\0\0", 3),
                                  std::string("\xef\xbb\xbf{"),
                                  deep_lists,
                                  deep_objects,
                                  std::string("k8s\0", 4)}) {
    all.push_back({"POST", kMaps, body, "", 400});
    all.push_back({"PUT", kMaps + "/a", body, "", 400});
  }
  for (const std::string& body :
       {std::string("a: ["), std::string("a: b: c"), std::string("\t- a"), std::string("a: &x *x"),
        std::string("- a\n- b"), std::string("%YAML 9.9\n"), std::string("{a: 1, a: 2}"),
        std::string("? [a]\n: b"), deep_lists, std::string("a: \"\xff\"")}) {
    all.push_back({"POST", kMaps, body, Type("application/yaml"), 400});
  }
  for (const std::string& body :
       {std::string("k8s"), std::string("k8s\0", 4), std::string("xxxx\0\0\0\0", 8),
        std::string("k8s\0\x0a", 5), std::string("k8s\0\x0a\xff\xff\xff\xff\x0f", 10),
        std::string("k8s\0\x0a\x04\x0a\x02v1\x12\x7f", 12),
        std::string("k8s\0\x0a\x0c\x0a\x02v1\x12\x06Submar\x12\x00", 20),
        std::string("k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 14), std::string("{}")}) {
    all.push_back({"POST", kMaps, body, Type("application/vnd.kubernetes.protobuf"), 400});
    all.push_back(
        {"POST", kPods + "/p/binding", body, Type("application/vnd.kubernetes.protobuf"), 400});
  }
  all.push_back({"POST", kMaps, "", "", 400});
  all.push_back({"POST", kMaps, "{\"data\":\"" + std::string(4 << 20, 'x') + "\"}", "", 413});
  all.push_back({"PATCH", kMaps + "/a", std::string(4 << 20, ' '),
                 Type("application/merge-patch+json"), 413});
  return all;
}

inline std::vector<Malformed> WrongTypes() {
  std::vector<Malformed> all;
  for (const char* type :
       {"text/plain", "text/html", "application/xml", "application/cbor", "application/jsonx",
        "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "*/*", "json",
        "application/json/json", "application/merge-patch+json", ";;;", "\xff\xfe"}) {
    all.push_back({"POST", kMaps, "{}", Type(type), 415});
  }
  for (const char* type : {"application/json", "text/plain", "application/yaml",
                           "application/vnd.kubernetes.protobuf", "application/patch", ""}) {
    all.push_back({"PATCH", kMaps + "/a", "{}", Type(type), 415});
  }
  for (const char* accept :
       {"text/html", "application/xml", "application/cbor", "image/*",
        "application/json;as=Boat;v=v1;g=meta.k8s.io",
        "application/json;as=Table;v=v7;g=meta.k8s.io", "application/json;q=0", "x"}) {
    all.push_back({"GET", kPods, "", "Accept: " + std::string(accept) + "\r\n", 406});
  }
  return all;
}

inline std::vector<Malformed> BadObjects() {
  std::vector<Malformed> all;
  for (const auto& [body, code] : std::vector<std::pair<std::string, int>>{
           {R"({"kind":"Pod","metadata":{"name":"z"}})", 400},
           {R"({"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"z"}})", 400},
           {R"({"metadata":{"name":"z","namespace":"other"}})", 400},
           {R"({"metadata":{}})", 422},
           {R"({})", 422},
           {R"({"metadata":{"name":"UPPER"}})", 422},
           {R"({"metadata":{"name":"../etc"}})", 422},
           {R"({"metadata":{"name":"a b"}})", 422}}) {
    all.push_back({"POST", kMaps, body, "", code});
  }
  for (const auto& [type, patch, code] : std::vector<std::tuple<std::string, std::string, int>>{
           {"json-patch", "{}", 400},
           {"json-patch", "[{}]", 400},
           {"json-patch", R"([{"op":"fly","path":"/a"}])", 422},
           {"json-patch", R"([{"op":"remove","path":"/none"}])", 422},
           {"json-patch", R"([{"op":"test","path":"/kind","value":"Boat"}])", 422},
           {"json-patch", "[", 400},
           {"merge-patch", "[]", 400},
           {"merge-patch", "5", 400},
           {"merge-patch", "{", 400},
           {"merge-patch", R"({"metadata":{"resourceVersion":"1"}})", 409},
           {"strategic-merge-patch", "[]", 400},
           {"strategic-merge-patch", "\"x\"", 400},
           {"strategic-merge-patch", "{\"a\"", 400}}) {
    all.push_back({"PATCH", kMaps + "/kept", patch, Type("application/" + type + "+json"), code});
  }
  all.push_back(
      {"PATCH", kMaps + "/kept?fieldManager=", "{}", Type("application/apply-patch+yaml"), 422});
  all.push_back(
      {"PATCH", kMaps + "/kept?fieldManager=m", "a: [", Type("application/apply-patch+yaml"), 400});
  all.push_back({"PATCH", kMaps + "/none", "{}", Type("application/merge-patch+json"), 404});
  for (const auto& [body, code] :
       std::vector<std::pair<std::string, int>>{{"[]", 400},
                                                {"{", 400},
                                                {R"({"gracePeriodSeconds":"x"})", 400},
                                                {R"({"gracePeriodSeconds":1.5})", 400},
                                                {R"({"preconditions":5})", 400},
                                                {R"({"preconditions":{"uid":"other"}})", 409},
                                                {R"({"propagationPolicy":"Boat"})", 422},
                                                {R"({"dryRun":["Some"]})", 422}}) {
    all.push_back({"DELETE", kMaps + "/kept", body, "", code});
  }
  return all;
}

}  // namespace berth::apiserver
