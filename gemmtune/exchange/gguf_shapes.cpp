#include "gemmtune/exchange/gguf_shapes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"
#include "gemmtune/exchange/gguf_formats.h"
#include "gemmtune/exchange/gguf_products.h"
#include "gemmtune/exchange/gguf_share.h"
#include "gemmtune/shapes/model_format.h"
#include "gemmtune/shapes/shape_csv.h"

namespace gemmtune {
namespace {

std::vector<std::uint32_t> types_of(const GgufProducts& read) {
  std::vector<std::uint32_t> types;
  for (const auto& product : read.products) types.push_back(product.type);
  std::ranges::sort(types);
  types.erase(std::ranges::unique(types).begin(), types.end());
  return types;
}

/// Counts the layers of equal multiplications. Layers differ in their tensors' types and sizes, too.
class GemmCounter {
 public:
  void add(CountedGemm more) {
    const auto& gemm = more.gemm;
    const auto [at, is_new] = places_.try_emplace(
        {gemm.layer, gemm.n, gemm.k, gemm.batch, gemm.count, gemm.bias, more.types}, counted_.size());
    if (is_new) counted_.push_back(std::move(more));
    ++counted_[at->second].layers;
  }

  std::vector<CountedGemm> take() { return std::move(counted_); }

 private:
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool, Problem>;

  std::map<Key, std::size_t> places_;
  std::vector<CountedGemm> counted_;
};

class GgufLister {
 public:
  GgufLister(const GgufModel& model, std::string_view format, const ModelRequest& request)
      : model_(model), request_(request), read_(gguf_products(model)), formats_(format, types_of(read_)) {}

  ModelShapes make() {
    note_formats();
    note_tensors();
    for (const auto tp : request_.tensor_parallel) add({.tensor = tp, .expert = request_.expert_parallel});
    made_.shapes = without_duplicates(made_.shapes);
    if (made_.shapes.empty())
      fail(ErrorCode::input, "{}: it has no product to list{}{}", model_.first().source,
           made_.notes.empty() ? "" : ": ", join(made_.notes, "; "));
    return std::move(made_);
  }

 private:
  void add(Parallelism parallelism) {
    GgufShare share(model_, parallelism);
    DeviceGemms device{.source = model_.first().source, .parallelism = parallelism, .experts = share.experts(read_)};
    GemmCounter counter;
    for (const auto& product : read_.products)
      if (is_listed(product)) counter.add({.gemm = share.of(product), .types = *formats_.of(product.type)});
    device.gemms = counter.take();
    for (auto& note : share.notes()) made_.notes.push_back(std::move(note));
    add_shapes(made_, device, request_);
  }

  /// Unpacked and absorbed weights of low-rank attention are the same weights twice.
  bool is_listed(const GgufProduct& product) const {
    const auto is_requested = [&](LatentForm form) { return std::ranges::count(request_.latent_forms, form) > 0; };
    if (product.stem == "attn_kv_b" && !is_requested(LatentForm::unpacked)) return false;
    if (product.use == GgufUse::heads && !is_requested(LatentForm::absorbed)) return false;
    return formats_.of(product.type).has_value();
  }

  void note_formats() {
    for (const auto type : types_of(read_)) {
      const auto tensors = std::ranges::count(read_.products, type, &GgufProduct::type);
      if (const auto types = formats_.of(type))
        made_.notes.push_back(
            fmt::format("{}: {} tensors, listed as {}", gguf_type_name(type), tensors, types_text(*types)));
      else
        made_.notes.push_back(
            fmt::format("{}: {} tensors are not listed, since no format here has their blocks; "
                        "--format lists them as if they were converted",
                        gguf_type_name(type), tensors));
    }
  }

  void note_tensors() {
    for (const auto& file : model_.files)
      if (!file.has_data())
        made_.notes.push_back(
            fmt::format("{}: it ends before its tensors do; the list needs only its header", file.source));
    std::vector<std::string> names;
    for (const auto& [stem, tensors] : read_.unknown) names.push_back(fmt::format("{} ({})", stem, tensors));
    constexpr std::size_t shown = 10;
    const auto more = names.size() > shown ? fmt::format(" and {} others", names.size() - shown) : "";
    names.resize(std::min(names.size(), shown));
    if (!names.empty())
      made_.notes.push_back(
          fmt::format("not listed, since it is not known what multiplies them: {}{}", join(names, ", "), more));
    if (read_.prediction_layers > 0)
      made_.notes.push_back(
          fmt::format("the last {} layers predict further tokens and are not listed", read_.prediction_layers));
  }

  const GgufModel& model_;
  const ModelRequest& request_;
  GgufProducts read_;
  GgufFormats formats_;
  ModelShapes made_;
};

}  // namespace

ModelShapes gguf_shapes(const GgufModel& model, std::string_view format, const ModelRequest& request) {
  return GgufLister(model, format, request).make();
}

}  // namespace gemmtune
