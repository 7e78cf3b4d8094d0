#include "gemmtune/families/w4_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_a8w4_wgmma_family();

std::unique_ptr<KernelFamily> make_a8w4_wgmma_family() { return make_w4_family(W4Activations::e4m3); }

}  // namespace gemmtune
