#include <renkei/lib/datasets/libcurl.h>

#include <dlfcn.h>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei::datasets {
namespace {

LibCurl open_libcurl() {
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
    if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error{"libcurl.so.4 cannot be opened (Debian: apt-get install libcurl4)"};
  const auto bind = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function) throw Error{fmt::format("libcurl.so.4 has no function {}", name)};
  };
  LibCurl curl{};
  bind(curl.global_init, "curl_global_init");
  bind(curl.easy_init, "curl_easy_init");
  bind(curl.easy_setopt, "curl_easy_setopt");
  bind(curl.easy_perform, "curl_easy_perform");
  bind(curl.easy_cleanup, "curl_easy_cleanup");
  bind(curl.easy_strerror, "curl_easy_strerror");
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw Error{"libcurl cannot be initialised"};
  return curl;
}

}  // namespace

const LibCurl& libcurl() {
  static const LibCurl curl = open_libcurl();
  return curl;
}

}  // namespace renkei::datasets
