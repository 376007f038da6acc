// libcurl, opened when a download is needed: linked, it would cost every start of every program 7 ms and 7 MB.
#pragma once

#include <curl/curl.h>

namespace renkei::datasets {

/// The functions of libcurl that are used here.
struct LibCurl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_strerror) easy_strerror;
};

/// Throws Error when the library is not installed.
const LibCurl& libcurl();

}  // namespace renkei::datasets
