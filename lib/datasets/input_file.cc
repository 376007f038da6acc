#include <renkei/lib/datasets/input_file.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei::datasets {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::string reason(int code) { return std::generic_category().message(code); }

}  // namespace

TransientBuffer::TransientBuffer(std::size_t bytes) : size_{(bytes + kHugePage) / kHugePage * kHugePage} {
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw DeviceError{fmt::format("cpu: out of memory while asking for {} bytes", size_)};
  madvise(mapped, size_, MADV_HUGEPAGE);  // a wish: without it everything works, slower
  data_ = static_cast<std::byte*>(mapped);
}

TransientBuffer::~TransientBuffer() {
  if (data_) munmap(data_, size_);
}

TransientBuffer::TransientBuffer(TransientBuffer&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}

TransientBuffer& TransientBuffer::operator=(TransientBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::InputFile(std::string path)
    : path_{std::move(path)}, descriptor_{open(path_.c_str(), O_RDONLY | O_CLOEXEC)} {
  if (descriptor_ < 0) throw FileError{path_, reason(errno)};
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (!known || S_ISDIR(status.st_mode)) {
    const int code = known ? EISDIR : errno;
    close(descriptor_);
    throw FileError{path_, reason(code)};
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

std::size_t InputFile::read(std::span<std::byte> target) {
  std::size_t done = 0;
  while (done < target.size()) {
    const ssize_t count = ::read(descriptor_, target.data() + done, target.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError{path_, reason(errno)};
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

InputFile::Content InputFile::read_rest(std::span<const std::byte> head) {
  // One byte more than expected shows that the file ends where it should.
  Content content{TransientBuffer{size_ ? *size_ + 1 : std::size_t{1} << 20}};
  std::copy(head.begin(), head.end(), content.buffer.data());
  content.size = head.size();
  while (true) {
    content.size += read({content.buffer.data() + content.size, content.buffer.size() - content.size});
    if (content.size < content.buffer.size()) return content;
    TransientBuffer larger{2 * content.size};
    std::copy_n(content.buffer.data(), content.size, larger.data());
    content.buffer = std::move(larger);
  }
}

}  // namespace renkei::datasets
