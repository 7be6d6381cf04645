// StoredObjects is a store in memory with short functions to change it, and FakeExchange an HTTP
// exchange without a connection: for tests of request handlers.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/scheme/scheme.h"
#include "apiserver/store/store.h"
#include "net/http_server.h"

namespace berth {

// The fields of a stored object that tests set.
struct ObjectDetails {
  std::map<std::string, std::string> labels = {};
  std::vector<std::string> fields = {};
};

class StoredObjects {
 public:
  explicit StoredObjects(size_t history = 1000) {
    store_ = *apiserver::store::Store::Open(
        {.collections = api::scheme::CollectionNames(), .history = history, .first_version = 101},
        nullptr);
  }

  apiserver::store::Store& store() { return *store_; }

  apiserver::store::ObjectPtr Create(const api::scheme::Kind& kind,
                                     const apiserver::store::ObjectName& name,
                                     const ObjectDetails& details = {}) {
    return *store_->Create(kind.collection, MakeDraft(kind, name, details));
  }
  apiserver::store::ObjectPtr Replace(const api::scheme::Kind& kind,
                                      const apiserver::store::ObjectName& name,
                                      const ObjectDetails& details = {}) {
    const auto seen = store_->Get(kind.collection, name)->version;
    return *store_->Replace(kind.collection, MakeDraft(kind, name, details), seen);
  }
  apiserver::store::ObjectPtr Delete(const api::scheme::Kind& kind,
                                     const apiserver::store::ObjectName& name) {
    const auto seen = store_->Get(kind.collection, name)->version;
    return *store_->Delete(kind.collection, name, seen);
  }

 private:
  static apiserver::store::Draft MakeDraft(const api::scheme::Kind& kind,
                                           const apiserver::store::ObjectName& name,
                                           const ObjectDetails& details) {
    apiserver::store::Draft draft;
    draft.object.key = name;
    draft.object.uid = "uid-" + name.name;
    draft.object.labels.assign(details.labels.begin(), details.labels.end());
    draft.object.fields = details.fields;
    std::string& json = draft.object.json;
    json = "{\"kind\":\"" + std::string(kind.kind) + "\",\"apiVersion\":\"" +
           std::string(kind.api_version()) + "\",\"metadata\":{\"name\":\"" + name.name +
           "\",\"namespace\":\"" + name.namespace_ + "\",\"resourceVersion\":\"";
    draft.version_at = json.size();
    json += "\"";
    std::string labels;
    for (const auto& [key, value] : details.labels) {
      labels += (labels.empty() ? "" : ",") + ("\"" + key + "\":\"" + value) + "\"";
    }
    if (!labels.empty()) json += ",\"labels\":{" + labels + "}";
    json += "}}";
    return draft;
  }

  std::unique_ptr<apiserver::store::Store> store_;
};

// Records the response; reads a stream only when the test calls for it.
class FakeExchange final : public net::Exchange {
 public:
  explicit FakeExchange(net::ServerRequest request = {}) : request_(std::move(request)) {}

  const net::ServerRequest& request() const override { return request_; }
  void Respond(net::ServerResponse response) override { response_ = std::move(response); }
  void Stream(net::ServerResponse head, std::unique_ptr<net::BodySource> source) override {
    response_ = std::move(head);
    source_ = std::move(source);
  }
  void Wake() override { ++wakes_; }
  void WakeAfter(std::chrono::milliseconds delay) override { delays_.push_back(delay); }

  const std::optional<net::ServerResponse>& response() const { return response_; }
  net::BodySource* source() { return source_.get(); }
  int wakes() const { return wakes_; }
  const std::vector<std::chrono::milliseconds>& delays() const { return delays_; }

 private:
  net::ServerRequest request_;
  std::optional<net::ServerResponse> response_;
  std::unique_ptr<net::BodySource> source_;
  int wakes_ = 0;
  std::vector<std::chrono::milliseconds> delays_;
};

inline std::string TextOf(const std::vector<net::Piece>& pieces) {
  std::string text;
  for (const net::Piece& piece : pieces) text += piece.bytes;
  return text;
}

}  // namespace berth
