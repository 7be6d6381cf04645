// Certificates for tests, generated at run time.
#pragma once

#include <string>

namespace berth {

// PEM texts.
struct Certificate {
  std::string certificate;
  std::string key;
};

// Returns a self-signed CA certificate.
Certificate MakeAuthority(const std::string& name);

// Returns a certificate signed by `authority`, for the names in `alternatives`, such as
// "DNS:localhost,IP:127.0.0.1". It is valid for a day, or, if `expired`, until a minute ago.
Certificate MakeCertificate(const Certificate& authority, const std::string& name,
                            const std::string& alternatives, bool expired = false);

}  // namespace berth
