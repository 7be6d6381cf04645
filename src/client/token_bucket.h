// TokenBucket says when the next request may go: as many as `burst` at once, then `qps` a second,
// as client-go's flow control has it. Full at the start.
#pragma once

#include "base/time.h"

namespace berth::client {

class TokenBucket {
 public:
  // `qps` and `burst` must be positive.
  TokenBucket(double qps, int burst, Instant now);

  // 0 if a request may go now; a token is taken for it. Otherwise the time until one may.
  Duration Take(Instant now);

 private:
  const double qps_;
  const double burst_;
  double tokens_;
  Instant last_;
};

}  // namespace berth::client
