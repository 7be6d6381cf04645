// A part of the programs that are linked statically, and of no others: what the shared libraries of
// a distribution know about it.

#include <mimalloc.h>
#include <nss.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <unistd.h>

#include <initializer_list>

// The C library's would bring its malloc, beside mimalloc's.
extern "C" int malloc_trim(size_t) noexcept {
  mi_collect(true);
  return 1;
}

namespace {

// A program that is linked statically can only resolve names by what the C library has built in.
// Modules that /etc/nsswitch.conf names (mdns4_minimal, resolve) would be loaded with the C library
// of the machine, which is another version.
bool ConfigureNames() { return __nss_configure_lookup("hosts", "files dns") == 0; }

// OpenSSL of Debian looks for the certificates of authorities where Debian has them; these are the
// places of other distributions.
bool ConfigureAuthorities() {
  if (access(X509_get_default_cert_file(), R_OK) == 0) return true;
  if (access(X509_get_default_cert_dir(), R_OK) == 0) return true;
  for (const char* path : {
           "/etc/ssl/certs/ca-certificates.crt",                 // Arch, Alpine, Gentoo
           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, Red Hat
           "/etc/pki/tls/certs/ca-bundle.crt",                   // CentOS
           "/etc/ssl/ca-bundle.pem",                             // SUSE
           "/etc/ssl/cert.pem",
       }) {
    if (access(path, R_OK) == 0) return setenv(X509_get_default_cert_file_env(), path, 0) == 0;
  }
  return false;
}

[[maybe_unused]] const bool kNames = ConfigureNames();
[[maybe_unused]] const bool kAuthorities = ConfigureAuthorities();

}  // namespace
