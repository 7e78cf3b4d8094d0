// a16w4_wgmma and a8w4_wgmma: two families that differ in the type of A.
#pragma once

#include <memory>

#include "gemmtune/families/family.h"
#include "gemmtune/families/w4_space.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_w4_family(W4Activations activations);

}  // namespace gemmtune
