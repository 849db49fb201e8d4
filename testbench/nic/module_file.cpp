// SPDX-License-Identifier: Apache-2.0
#include "testbench/nic/module_file.hpp"

#include <dlfcn.h>

namespace roci::testbench {
namespace {

std::string file_of(const std::string& name) { return "lib" + name + ".so"; }
std::string remedy(const std::string& name) {
  return "build it with 'cmake --build build --target " + name + "'";
}

}  // namespace

ModuleFile::ModuleFile(const std::string& name, const char* symbol, const std::string& otherwise)
    : name_(name) {
  // The name has no folder: the run path of the program says where modules are.
  void* handle = dlopen(file_of(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string text = dlerror();
    const bool absent = text.find("cannot open shared object file") != std::string::npos;
    why_ = absent ? file_of(name) + " is not there: " + remedy(name) + ", " + otherwise
                  : "cannot load " + file_of(name) + ": " + text;
    return;
  }
  symbol_ = dlsym(handle, symbol);
  if (symbol_ == nullptr) why_ = other_build();
}

std::string ModuleFile::other_build() const {
  return file_of(name_) + " belongs to another build than this program: " + remedy(name_);
}

}  // namespace roci::testbench
