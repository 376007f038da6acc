// A web server of one thread on the loopback address, for downloads without a network.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace renkei::test {

class LoopbackServer {
 public:
  /// What the server answers to a path, headers included. An answer of nothing is never sent: the client waits.
  using Answer = std::function<std::string(const std::string& path)>;

  explicit LoopbackServer(Answer answer) : answer_{std::move(answer)}, listener_{socket(AF_INET, SOCK_STREAM, 0)} {
    setenv("no_proxy", "127.0.0.1", 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || bind(listener_, generic, length) != 0 || listen(listener_, 8) != 0 ||
        getsockname(listener_, generic, &length) != 0)
      throw std::runtime_error{"no loopback address to listen on"};
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    thread_ = std::thread{[this] { serve(); }};
  }
  ~LoopbackServer() {
    stop_ = true;
    shutdown(listener_, SHUT_RDWR);  // wakes accept()
    thread_.join();
    close(listener_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  const std::string& url() const { return url_; }
  int requests() const { return requests_; }

  static std::string ok(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  }
  static std::string not_found() { return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"; }

 private:
  void serve() {
    while (!stop_) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      ++requests_;
      std::string request;
      char buffer[1024];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t count = recv(client, buffer, sizeof buffer, 0);
        if (count <= 0) break;
        request.append(buffer, static_cast<std::size_t>(count));
      }
      const std::size_t begin = request.find('/') + 1;
      const std::string answer = answer_(request.substr(begin, request.find(' ', begin) - begin));
      if (answer.empty()) {
        while (recv(client, buffer, sizeof buffer, 0) > 0) {}  // until the client gives up
      }
      std::size_t sent = 0;
      while (sent < answer.size()) {
        const ssize_t count = send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
      }
      close(client);
    }
  }

  Answer answer_;
  int listener_;
  std::string url_;
  std::atomic<bool> stop_{false};
  std::atomic<int> requests_{0};
  std::thread thread_;
};

}  // namespace renkei::test
