// The names of the kernels in a CUDA graph, as the driver reports them.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/core/shared_library.h"
#include "gemmtune/device/gpu/driver.h"

namespace gemmtune {

class GraphKernels {
 public:
  std::vector<std::string> names(gpu::GraphHandle graph) const {
    std::size_t count = 0;
    get_nodes_(graph, nullptr, &count);
    std::vector<void*> nodes(count);
    get_nodes_(graph, nodes.data(), &count);
    std::vector<std::string> all;
    for (void* node : nodes) {
      int type = -1;
      get_type_(node, &type);
      if (type == kernel_node) all.push_back(name_of(node));
    }
    return all;
  }

 private:
  static constexpr int kernel_node = 0;

  /// The driver's CUDA_KERNEL_NODE_PARAMS_v2.
  struct Parameters {
    void* function{};
    unsigned sizes[7]{};
    void** arguments{};
    void** extra{};
    void* kernel{};
    void* context{};
  };

  std::string name_of(void* node) const {
    Parameters parameters;
    get_parameters_(node, &parameters);
    const char* name = nullptr;
    if (parameters.function != nullptr) function_name_(&name, parameters.function);
    if (name == nullptr && parameters.kernel != nullptr) kernel_name_(&name, parameters.kernel);
    return name == nullptr ? "a kernel without a name" : name;
  }

  SharedLibrary library_ = *SharedLibrary::open({"libcuda.so.1"});
  int (*get_nodes_)(gpu::GraphHandle, void**,
                    std::size_t*) = library_.function<int(gpu::GraphHandle, void**, std::size_t*)>("cuGraphGetNodes");
  int (*get_type_)(void*, int*) = library_.function<int(void*, int*)>("cuGraphNodeGetType");
  int (*get_parameters_)(void*,
                         Parameters*) = library_.function<int(void*, Parameters*)>("cuGraphKernelNodeGetParams_v2");
  int (*function_name_)(const char**, void*) = library_.function<int(const char**, void*)>("cuFuncGetName");
  int (*kernel_name_)(const char**, void*) = library_.function<int(const char**, void*)>("cuKernelGetName");
};

}  // namespace gemmtune
