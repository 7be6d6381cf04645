#include "client/lease_lock.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/timestamp.h"
#include "client/api_status.h"

namespace berth::client {
namespace {

using api::Json;
using api::JsonObject;

constexpr int kNotFound = 404;

std::string LeasesPath(const std::string& name_space) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + name_space + "/leases";
}

// Returns a zero time for invalid text: expiry is decided by our own clock.
Instant TimeAt(const JsonObject* spec, std::string_view key) {
  return api::ParseTimestamp(api::StringAt(spec, key)).value_or(Instant());
}

int CountAt(const JsonObject* spec, std::string_view key) {
  const int64_t number = api::IntAt(spec, key).value_or(0);
  return number < 0 || number > std::numeric_limits<int32_t>::max() ? 0 : static_cast<int>(number);
}

LeaderRecord RecordOf(const JsonObject& lease) {
  const JsonObject* spec = api::ObjectAt(&lease, "spec");
  return {.holder = std::string(api::StringAt(spec, "holderIdentity")),
          .lease_duration_seconds = CountAt(spec, "leaseDurationSeconds"),
          .acquire_time = TimeAt(spec, "acquireTime"),
          .renew_time = TimeAt(spec, "renewTime"),
          .transitions = CountAt(spec, "leaseTransitions"),
          .strategy = std::string(api::StringAt(spec, "strategy")),
          .preferred_holder = std::string(api::StringAt(spec, "preferredHolder"))};
}

void SetRecord(JsonObject& lease, const LeaderRecord& record) {
  JsonObject spec;
  api::SetString(spec, "holderIdentity", record.holder);
  api::SetInt(spec, "leaseDurationSeconds", record.lease_duration_seconds);
  if (record.acquire_time != Instant()) {
    api::SetString(spec, "acquireTime", api::FormatMicroTime(record.acquire_time));
  }
  api::SetString(spec, "renewTime", api::FormatMicroTime(record.renew_time));
  api::SetInt(spec, "leaseTransitions", record.transitions);
  if (!record.strategy.empty()) api::SetString(spec, "strategy", record.strategy);
  if (!record.preferred_holder.empty()) {
    api::SetString(spec, "preferredHolder", record.preferred_holder);
  }
  lease["spec"] = std::move(spec);
}

// Returns a callback that drops the record and passes on whether the write succeeded.
ElectionLock::Read Ignoring(ElectionLock::Written written) {
  return [written = std::move(written)](std::expected<LeaderRecord, LockFailure> result) {
    if (result) return written({});
    written(std::unexpected(std::move(result).error()));
  };
}

}  // namespace

struct LeaseLock::Document {
  JsonObject lease;  // Empty: none was observed.
  // Results of operations before the last Cancel are dropped.
  uint64_t turn = 0;
};

LeaseLock::LeaseLock(RestClient& client, std::string name_space, std::string name, Duration timeout)
    : client_(client),
      name_space_(std::move(name_space)),
      name_(std::move(name)),
      timeout_(timeout),
      document_(std::make_shared<Document>()) {}

LeaseLock::~LeaseLock() { Cancel(); }

void LeaseLock::Get(Read read) {
  Send({.method = "GET",
        .path = LeasesPath(name_space_) + "/" + name_,
        .body = {},
        .content_type = {}},
       std::move(read));
}

void LeaseLock::Create(const LeaderRecord& record, Written written) {
  JsonObject lease;
  api::SetString(lease, "apiVersion", "coordination.k8s.io/v1");
  api::SetString(lease, "kind", "Lease");
  JsonObject& metadata = api::EnsureObject(lease, "metadata");
  api::SetString(metadata, "name", name_);
  api::SetString(metadata, "namespace", name_space_);
  SetRecord(lease, record);
  Send({.method = "POST",
        .path = LeasesPath(name_space_),
        .body = api::ToJsonText(lease),
        .content_type = "application/json"},
       Ignoring(std::move(written)));
}

void LeaseLock::Update(const LeaderRecord& record, Written written) {
  if (document_->lease.empty()) {
    return written(std::unexpected(LockFailure{false, "lease " + name() + " was never read"}));
  }
  JsonObject lease = document_->lease;
  SetRecord(lease, record);
  Send({.method = "PUT",
        .path = LeasesPath(name_space_) + "/" + name_,
        .body = api::ToJsonText(lease),
        .content_type = "application/json"},
       Ignoring(std::move(written)));
}

void LeaseLock::Cancel() {
  ++document_->turn;
  if (under_way_ != 0) client_.Cancel(under_way_);
  under_way_ = 0;
}

void LeaseLock::Send(RestRequest request, Read done) {
  request.timeout = timeout_;
  const std::string method = request.method;
  const std::string path = request.path;
  under_way_ = client_.Send(
      std::move(request), [weak = std::weak_ptr(document_), turn = document_->turn, method, path,
                           done = std::move(done)](net::HttpResult<net::HttpResponse> result) {
        const auto document = weak.lock();
        if (document == nullptr || document->turn != turn) return;
        if (!result) return done(std::unexpected(LockFailure{false, result.error().message}));
        if (!result->ok()) {
          return done(std::unexpected(
              LockFailure{result->status == kNotFound, Describe(method, path, *result)}));
        }
        auto parsed = api::ParseJson(result->body);
        JsonObject* lease = parsed ? api::AsObject(*parsed) : nullptr;
        if (lease == nullptr || api::StringAt(lease, "kind") != "Lease") {
          return done(std::unexpected(
              LockFailure{false, fmt::format("{} {}: the answer is not a Lease", method, path)}));
        }
        document->lease = std::move(*lease);
        done(RecordOf(document->lease));
      });
}

}  // namespace berth::client
