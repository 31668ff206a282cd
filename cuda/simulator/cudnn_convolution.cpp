// cudnn_convolution.cpp: computes convolutions and their gradients by loops over all products, with sums in float.
#include "cudnn_convolution.h"

#include "math_functions.h"
#include "matrix_product.h"

namespace simulator {

static cudaDataType type_of(int type) {
  return type == CUDNN_DATA_HALF       ? CUDA_R_16F
         : type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF
                                       : CUDA_R_32F;
}

// The elements from the first to the last.
static size_t extent(const Operand &o) {
  int64_t last = 0;
  for (size_t d = 0; d < o.sizes.size(); d++) last += (o.sizes[d] - 1) * o.strides[d];
  return static_cast<size_t>(last + 1);
}

bool is_whole(const Convolution &c) {
  size_t dims = c.padding.size();
  if (dims < 2 || dims > 3 || c.stride.size() != dims || c.dilation.size() != dims) return false;
  for (const Operand *o : {&c.image, &c.weight, &c.out}) {
    bool known =
        o->type == CUDNN_DATA_FLOAT || o->type == CUDNN_DATA_HALF || o->type == CUDNN_DATA_BFLOAT16;
    if (!known || o->type != c.image.type || o->sizes.size() != dims + 2 ||
        o->strides.size() != dims + 2)
      return false;
    for (int64_t size : o->sizes)
      if (size < 1) return false;
  }
  if (c.image.sizes[0] != c.out.sizes[0] || c.weight.sizes[0] != c.out.sizes[1] ||
      c.image.sizes[1] % c.weight.sizes[1] != 0 ||
      c.out.sizes[1] % (c.image.sizes[1] / c.weight.sizes[1]) != 0)
    return false;
  for (size_t d = 0; d < dims; d++) {
    int64_t room =
        c.image.sizes[d + 2] + 2 * c.padding[d] - c.dilation[d] * (c.weight.sizes[d + 2] - 1) - 1;
    if (room < 0 || room / c.stride[d] + 1 != c.out.sizes[d + 2]) return false;
  }
  return true;
}

// Calls f(offset) for the elements in row-major order, with their offset in memory.
template <class F> static void for_elements(const Operand &o, F f) {
  std::vector<int64_t> at(o.sizes.size(), 0);
  for (bool more = true; more;) {
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); d++) offset += at[d] * o.strides[d];
    f(offset);
    more = false;
    for (size_t d = at.size(); d-- > 0 && !more;) {
      more = ++at[d] < o.sizes[d];
      if (!more) at[d] = 0;
    }
  }
}

static std::vector<float> unpack(const Operand &o, bool tf32) {
  uintptr_t memory = view(reinterpret_cast<const void *>(o.address));
  std::vector<float> packed;
  for_elements(o, [&](int64_t offset) {
    float value = static_cast<float>(read_number(memory, type_of(o.type), offset));
    packed.push_back(tf32 ? as_tf32(value) : value);
  });
  return packed;
}

static void pack(const Operand &o, const std::vector<float> &values) {
  uintptr_t memory = view(reinterpret_cast<const void *>(o.address));
  size_t next = 0;
  for_elements(o, [&](int64_t offset) {
    float value = values[next++];
#ifdef TOCHA_PERTURBED
    value = perturbed(value, 2);
#endif
    write_number(memory, type_of(o.type), offset, static_cast<double>(value));
  });
}

// Sizes with three dimensions of space; missing ones have size `fill`.
struct Space {
  int64_t at[3];
  Space(const std::vector<int64_t> &values, size_t first, int64_t fill) {
    size_t dims = values.size() - first;
    for (size_t d = 0; d < 3; d++) at[d] = d + dims < 3 ? fill : values[first + d + dims - 3];
  }
  int64_t count() const { return at[0] * at[1] * at[2]; }
};

// Calls f(image, weight, out) for each product of the convolution, with the row-major indices of its three elements.
template <class F> static void for_products(const Convolution &c, F f) {
  Space in(c.image.sizes, 2, 1), kernel(c.weight.sizes, 2, 1), out(c.out.sizes, 2, 1);
  Space padding(c.padding, 0, 0), stride(c.stride, 0, 1), dilation(c.dilation, 0, 1);
  int64_t channels = c.image.sizes[1], outs = c.out.sizes[1], depth = c.weight.sizes[1];
  int64_t outs_of_group = outs / (channels / depth);
  for (int64_t n = 0; n < c.image.sizes[0] * outs * depth * kernel.count(); n++) {
    int64_t k = n % kernel.count(), i = n / kernel.count() % depth,
            o = n / kernel.count() / depth % outs;
    int64_t image = n / kernel.count() / depth / outs;
    int64_t from = (image * channels + o / outs_of_group * depth + i) * in.count();
    int64_t to = (image * outs + o) * out.count(), weight = (o * depth + i) * kernel.count() + k;
    int64_t start[3] = {k / kernel.at[2] / kernel.at[1], k / kernel.at[2] % kernel.at[1],
                        k % kernel.at[2]};
    for (int d = 0; d < 3; d++) start[d] = start[d] * dilation.at[d] - padding.at[d];
    for (int64_t z = 0; z < out.at[0]; z++)
      for (int64_t y = 0; y < out.at[1]; y++) {
        int64_t iz = z * stride.at[0] + start[0], iy = y * stride.at[1] + start[1];
        if (iz < 0 || iz >= in.at[0] || iy < 0 || iy >= in.at[1]) continue;
        for (int64_t x = 0; x < out.at[2]; x++) {
          int64_t ix = x * stride.at[2] + start[2];
          if (ix < 0 || ix >= in.at[2]) continue;
          f(static_cast<size_t>(from + (iz * in.at[1] + iy) * in.at[2] + ix),
            static_cast<size_t>(weight),
            static_cast<size_t>(to + (z * out.at[1] + y) * out.at[2] + x));
        }
      }
  }
}

static void run(const Convolution &c) {
  const Operand &result = c.task == Convolution::FORWARD      ? c.out
                          : c.task == Convolution::BACK_IMAGE ? c.image
                                                              : c.weight;
  std::vector<float> image, weight, out;
  if (&result != &c.image) image = unpack(c.image, c.tf32);
  if (&result != &c.weight) weight = unpack(c.weight, c.tf32);
  if (&result != &c.out) out = unpack(c.out, c.tf32);
  size_t count = 1;
  for (int64_t size : result.sizes) count *= static_cast<size_t>(size);
  std::vector<float> sums(count, 0);
  if (c.task == Convolution::FORWARD)
    for_products(c, [&](size_t i, size_t w, size_t o) { sums[o] += image[i] * weight[w]; });
  else if (c.task == Convolution::BACK_IMAGE)
    for_products(c, [&](size_t i, size_t w, size_t o) { sums[i] += weight[w] * out[o]; });
  else
    for_products(c, [&](size_t i, size_t w, size_t o) { sums[w] += image[i] * out[o]; });
  pack(result, sums);
}

static bool touch(const char *name, uintptr_t address, size_t bytes, bool writes, int device,
                  std::vector<Touch> &touched) {
  if (!bytes) return true;
  std::string problem = is_device_address(address)
                            ? check_range(address, bytes, device, writes, touched)
                            : "not device memory";
  if (problem.empty() && address % 16 != 0) problem = "not aligned to 16 bytes";
  if (problem.empty()) return true;
  fault(cudaErrorIllegalAddress, "cudnnBackendExecute: %s: %s", name, problem.c_str());
  return false;
}

bool submit_convolution(const Convolution &convolution, CUstream_st *stream) {
  Convolution c = convolution;
  if (machine().broken) return false;
  std::vector<Touch> touched;
  size_t item = c.image.type == CUDNN_DATA_FLOAT ? 4 : 2;
  int device = stream->device;
  bool good = touch("the image", c.image.address, extent(c.image) * item,
                    c.task == Convolution::BACK_IMAGE, device, touched) &&
              touch("the weight", c.weight.address, extent(c.weight) * item,
                    c.task == Convolution::BACK_WEIGHT, device, touched) &&
              touch("the result", c.out.address, extent(c.out) * item,
                    c.task == Convolution::FORWARD, device, touched) &&
              touch("the workspace", c.workspace, c.workspace_bytes, true, device, touched);
  if (!good) return false;
  Work *work = make_work([c] { run(c); });
  work->touched = touched;
  return submit(stream, work, "cudnnBackendExecute") == cudaSuccess;
}

} // namespace simulator
