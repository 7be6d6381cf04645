// Certificates for tests, made on the spot.
#pragma once

#include <string>

namespace berth {

// PEM texts.
struct Certificate {
  std::string certificate;
  std::string key;
};

// One that signs itself and may sign others.
Certificate MakeAuthority(const std::string& name);

// One signed by `authority`, for the names in `alternatives`: "DNS:localhost,IP:127.0.0.1". Valid
// for a day from an hour ago, or, if it is `expired`, until a minute ago.
Certificate MakeCertificate(const Certificate& authority, const std::string& name,
                            const std::string& alternatives, bool expired = false);

}  // namespace berth
