#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/shapes_commands.h"
#include "gemmtune/cli/shapes_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/shapes/model_shapes.h"

namespace gemmtune {
namespace {

/// One argument with commas: what follows it may be the config.
CLI::Option* declare_sizes(CLI::App& app, const char* name, std::vector<std::int64_t>& sizes) {
  return app.add_option(name, sizes)->delimiter(',')->allow_extra_args(false)->check(CLI::PositiveNumber);
}

class ShapesFromModelCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("config", config_)->required();
    declare_sizes(app, "--tp", request_.tensor_parallel);
    app.add_option("--ep", request_.expert_parallel)->check(CLI::PositiveNumber);
    declare_sizes(app, "--m", request_.m)->required();
    declare_sizes(app, "--logits-m", request_.logits_m);
    app.add_option("--format", format_);
    app.add_flag("--fused", fused_);
    app.add_flag("--unfused", unfused_);
    app.add_option("--mla", latent_form_)->check(CLI::IsMember({"both", "unpacked", "absorbed"}));
    app.add_option("--experts-m", expert_tokens_)->check(CLI::IsMember({"even", "listed"}));
    output_.declare(app);
  }

  int run() override {
    const auto json = read_model_json(config_);
    const auto model = parse_model_config(json, config_);
    const auto format = model_format(json, model, format_);
    const auto made = model_shapes(model, format, request());
    fmt::print(stderr, "quantised layers are {}\n", format.because);
    for (const auto& note : made.notes) fmt::print(stderr, "{}\n", note);
    output_.write(made.shapes);
    return 0;
  }

 private:
  ModelRequest request() const {
    auto request = request_;
    if (unfused_) request.projections = {Projections::unfused};
    if (unfused_ && fused_) request.projections = {Projections::fused, Projections::unfused};
    if (latent_form_ == "unpacked") request.latent_forms = {LatentForm::unpacked};
    if (latent_form_ == "absorbed") request.latent_forms = {LatentForm::absorbed};
    if (expert_tokens_ == "listed") request.expert_tokens = ExpertTokens::listed;
    return request;
  }

  std::string config_;
  std::string format_;
  ModelRequest request_;
  bool fused_{};
  bool unfused_{};
  std::string latent_form_{"both"};
  std::string expert_tokens_{"even"};
  ShapesOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_shapes_from_model_command() { return std::make_unique<ShapesFromModelCommand>(); }

}  // namespace gemmtune
