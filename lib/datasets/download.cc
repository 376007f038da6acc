#include <renkei/lib/datasets/download.h>

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/libcurl.h>
#include <renkei/lib/serializers/atomic_file.h>

namespace renkei::datasets {
namespace {

class Sha256 {
 public:
  Sha256() : context_{EVP_MD_CTX_new(), EVP_MD_CTX_free} {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw Error{"libcrypto offers no SHA-256"};
  }
  void add(const char* data, std::size_t bytes) { EVP_DigestUpdate(context_.get(), data, bytes); }
  std::string finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &length);
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// A line on standard error that is drawn over itself; on no terminal one plain line at the start.
class ProgressLine {
 public:
  ProgressLine(std::string_view url, std::string_view path, std::int64_t total) : total_{total} {
    name_ = path.substr(path.rfind('/') + 1);
    if (!terminal_) fmt::print(stderr, "downloading {} to {}\n", url, path);
  }
  ~ProgressLine() {
    if (drawn_ >= 0) std::fputc('\n', stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::int64_t done) {
    const auto permille = static_cast<int>(done * 1000 / std::max<std::int64_t>(total_, 1));
    if (!terminal_ || permille == drawn_) return;
    drawn_ = permille;
    constexpr int kWidth = 40;
    const int filled = std::min(permille * kWidth / 1000, kWidth);
    fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:5.1f} % of {:.1f} MB", name_, "", filled, "", kWidth - filled,
               permille / 10.0, static_cast<double>(total_) / 1e6);
    std::fflush(stderr);
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::string name_;
  std::int64_t total_;
  int drawn_ = -1;
};

/// What libcurl's callback needs. Exceptions must not pass through libcurl: they wait here.
struct Transfer {
  AtomicFile& target;
  ProgressLine& progress;
  std::int64_t expected;
  Sha256 sha256 = {};
  std::int64_t received = 0;
  std::exception_ptr failure = nullptr;

  static std::size_t receive(char* data, std::size_t, std::size_t bytes, void* self) {
    return static_cast<Transfer*>(self)->take(data, bytes) ? bytes : 0;
  }

  bool take(const char* data, std::size_t bytes) {
    received += static_cast<std::int64_t>(bytes);
    if (received > expected) return false;
    try {
      target.write(std::string_view{data, bytes});
      sha256.add(data, bytes);
      progress.show(received);
    } catch (...) {
      failure = std::current_exception();
    }
    return !failure;
  }
};

/// Fetches one address; returns what is wrong, or nothing when the file is at `path`. Throws when it cannot be written.
std::string fetch(const RemoteFile& file, const std::string& url, const std::string& path,
                  const DownloadLimits& limits) {
  const LibCurl& curl = libcurl();
  const std::unique_ptr<CURL, void (*)(CURL*)> handle{curl.easy_init(), curl.easy_cleanup};
  if (!handle) throw Error{"libcurl cannot start a transfer"};
  AtomicFile target{path};
  ProgressLine progress{url, path, file.bytes};
  Transfer transfer{target, progress, file.bytes};
  char detail[CURL_ERROR_SIZE] = "";
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(handle.get(), option, value); };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 5L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_NOPROGRESS, 1L);
  set(CURLOPT_CONNECTTIMEOUT, limits.connect_seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, limits.stall_seconds);
  set(CURLOPT_TIMEOUT, limits.total_seconds);
  set(CURLOPT_USERAGENT, "renkei");
  set(CURLOPT_ERRORBUFFER, &detail[0]);
  set(CURLOPT_WRITEFUNCTION, &Transfer::receive);
  set(CURLOPT_WRITEDATA, &transfer);
  const CURLcode code = curl.easy_perform(handle.get());
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  if (transfer.received > file.bytes) return fmt::format("more than the expected {} bytes", file.bytes);
  if (code != CURLE_OK) return detail[0] ? detail : curl.easy_strerror(code);
  if (transfer.received < file.bytes)
    return fmt::format("expected {} bytes, received {}", file.bytes, transfer.received);
  const std::string sha256 = transfer.sha256.finish();
  if (sha256 != file.sha256) return fmt::format("SHA-256 is {}, expected {}", sha256, file.sha256);
  target.commit();
  return {};
}

}  // namespace

void download(const RemoteFile& file, const std::string& path, const DownloadLimits& limits) {
  std::error_code failed;
  const auto folder = std::filesystem::path{path}.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) throw FileError{folder.string(), fmt::format("cannot be created: {}", failed.message())};
  std::string problems;
  for (const std::string& url : file.urls) {
    const std::string problem = fetch(file, url, path, limits);
    if (problem.empty()) return;
    problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", url, problem);
  }
  throw FileError{path, fmt::format("cannot be downloaded ({})", problems)};
}

}  // namespace renkei::datasets
