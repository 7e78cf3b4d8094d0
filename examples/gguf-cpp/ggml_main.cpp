// The same as main.cpp through ggml, the library behind llama.cpp: the rival of side_by_side.py.
//   ggml_cpp MODEL.gguf LAYER TOKENS…        threads: as many as the machine has
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>

#include "layer_call.h"

namespace {

struct Release {
  void operator()(ggml_context* context) const { ggml_free(context); }
  void operator()(ggml_backend* backend) const { ggml_backend_free(backend); }
  void operator()(ggml_backend_buffer* buffer) const { ggml_backend_buffer_free(buffer); }
};

template <typename Thing>
using Owned = std::unique_ptr<Thing, Release>;

/// A graph wakes the threads once for all of its products. A model's graph has hundreds.
constexpr std::size_t repeats = 8;

class Product {
 public:
  Product(ggml_backend* backend, const BlockTensor& tensor, const Call& call, std::int64_t tokens, std::int64_t used)
      : backend_(backend), tensor_(tensor), call_(call), a_(activations(call.experts * call.rows * tensor.k)) {
    context_.reset(
        ggml_init({16 * ggml_tensor_overhead() + ggml_graph_overhead_custom(2 * repeats, false), nullptr, true}));
    const auto type = static_cast<ggml_type>(tensor.type);
    weights_ = ggml_new_tensor_3d(context_.get(), type, tensor.k, tensor.n, tensor.experts);
    if (tensor.experts == 1)
      add_product(tokens);
    else
      add_experts(tokens, used);
    graph_ = ggml_new_graph_custom(context_.get(), 2 * repeats, false);
    ggml_build_forward_expand(graph_, out_);
    for (std::size_t i = 1; i < repeats; ++i) ggml_graph_add_node(graph_, out_);
    buffer_.reset(ggml_backend_alloc_ctx_tensors(context_.get(), backend));
    fill(tokens, used);
  }

  void launch() const {
    if (ggml_backend_graph_compute(backend_, graph_) != GGML_STATUS_SUCCESS) throw std::runtime_error("ggml failed");
  }

  /// Of the first token and, with experts, its first expert.
  double error() const {
    std::vector<float> c(static_cast<std::size_t>(tensor_.n));
    ggml_backend_tensor_get(out_, c.data(), 0, c.size() * sizeof(float));
    return relative_error(tensor_, 0, a_.data(), c.data());
  }

 private:
  void add_product(std::int64_t tokens) {
    in_ = ggml_new_tensor_2d(context_.get(), GGML_TYPE_F32, tensor_.k, tokens);
    out_ = ggml_mul_mat(context_.get(), weights_, in_);
  }

  void add_experts(std::int64_t tokens, std::int64_t used) {
    in_ = ggml_new_tensor_3d(context_.get(), GGML_TYPE_F32, tensor_.k, used, tokens);
    ids_ = ggml_new_tensor_2d(context_.get(), GGML_TYPE_I32, used, tokens);
    out_ = ggml_mul_mat_id(context_.get(), weights_, in_, ids_);
  }

  /// Tokens are spread evenly over the experts.
  void fill(std::int64_t tokens, std::int64_t used) {
    ggml_backend_tensor_set(weights_, tensor_.data, 0, ggml_nbytes(weights_));
    a_.resize(static_cast<std::size_t>(ggml_nelements(in_)), 1.0F);
    ggml_backend_tensor_set(in_, a_.data(), 0, ggml_nbytes(in_));
    if (ids_ == nullptr) return;
    std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens * used));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i % tensor_.experts);
    ggml_backend_tensor_set(ids_, ids.data(), 0, ggml_nbytes(ids_));
  }

  ggml_backend* backend_;
  const BlockTensor& tensor_;
  Call call_;
  std::vector<float> a_;
  Owned<ggml_context> context_;
  Owned<ggml_backend_buffer> buffer_;
  ggml_tensor* weights_{};
  ggml_tensor* in_{};
  ggml_tensor* ids_{};
  ggml_tensor* out_{};
  ggml_cgraph* graph_{};
};

int run(const std::string& path, std::int64_t layer, const std::vector<std::int64_t>& tokens) {
  const GgufFile file(path);
  const Owned<ggml_backend> backend(ggml_backend_cpu_init());
  ggml_backend_cpu_set_n_threads(backend.get(), static_cast<int>(std::thread::hardware_concurrency()));
  for (const auto m : tokens)
    for (const auto& tensor : file.layer(layer)) {
      const auto used = std::min(std::max<std::int64_t>(file.experts_per_token(), 1), tensor.experts);
      const auto call = call_of(tensor, m, used);
      const Product product(backend.get(), tensor, call, m, used);
      product.launch();
      const auto error = product.error();
      show(tensor, m, call, median_us([&] { product.launch(); }) / repeats, error, "ggml");
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: ggml_cpp MODEL.gguf LAYER TOKENS...\n");
    return 2;
  }
  std::vector<std::int64_t> tokens;
  for (int i = 3; i < argc; ++i) tokens.push_back(std::max(1LL, std::stoll(argv[i])));
  return run(argv[1], std::stoll(argv[2]), tokens);
} catch (const std::exception& error) {
  std::fprintf(stderr, "ggml_cpp: %s\n", error.what());
  return 1;
}
