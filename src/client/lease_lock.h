// LeaseLock is the election lock of kube-scheduler: a Lease of coordination.k8s.io/v1.
#pragma once

#include <memory>
#include <string>

#include "client/leader_elector.h"
#include "client/rest_client.h"

namespace berth::client {

class LeaseLock final : public ElectionLock {
 public:
  // `client` must outlive the lock. `timeout` applies to each request; kube-scheduler uses half of
  // its renewDeadline, at least a second.
  LeaseLock(RestClient& client, std::string name_space, std::string name, Duration timeout);
  ~LeaseLock() override;

  void Get(Read read) override;
  void Create(const LeaderRecord& record, Written written) override;
  void Update(const LeaderRecord& record, Written written) override;
  void Cancel() override;
  std::string name() const override { return name_space_ + "/" + name_; }

 private:
  struct Document;  // The last observed Lease.

  void Send(RestRequest request, Read done);

  RestClient& client_;
  const std::string name_space_;
  const std::string name_;
  const Duration timeout_;
  std::shared_ptr<Document> document_;
  RestClient::RequestId under_way_ = 0;
};

}  // namespace berth::client
