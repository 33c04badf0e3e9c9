// Launches every kernel of a manifest once, in order, on the first GPU: to be run under ncu. Usage: driver WORK
// WORK is what the test `hardware::write` wrote; tests/e2e/hardware/mod.rs says how.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

static void must(CUresult result, const std::string& what)
{
    if (result == CUDA_SUCCESS) return;
    const char* text = nullptr;
    cuGetErrorString(result, &text);
    std::cerr << what << ": " << (text ? text : "unknown error") << "\n";
    std::exit(1);
}

static std::string read(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) { std::cerr << "cannot read " << path << "\n"; std::exit(2); }
    return {std::istreambuf_iterator<char>(file), {}};
}

int main(int argc, char** argv)
{
    if (argc != 2) { std::cerr << "usage: driver WORK\n"; return 2; }
    const std::string work = std::string(argv[1]) + "/";
    must(cuInit(0), "cuInit");
    CUdevice device;
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    CUcontext context;
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");

    std::istringstream manifest(read(work + "manifest.txt"));
    std::string line, name;
    CUmodule module = nullptr;
    std::vector<CUdeviceptr> buffers;
    while (std::getline(manifest, line)) {
        std::istringstream words(line);
        std::string verb;
        words >> verb;
        if (verb == "case") {
            std::string fingerprint, cubin;
            words >> name >> fingerprint >> cubin;
            for (CUdeviceptr buffer : buffers) must(cuMemFree(buffer), "cuMemFree");
            buffers.clear();
            if (module) must(cuModuleUnload(module), "cuModuleUnload");
            must(cuModuleLoadData(&module, read(work + cubin).c_str()), name + ": cuModuleLoadData");
        } else if (verb == "buffer") {
            size_t bytes;
            std::string file;
            words >> bytes >> file;
            CUdeviceptr buffer;
            must(cuMemAlloc(&buffer, bytes ? bytes : 1), name + ": cuMemAlloc");
            if (bytes) must(cuMemsetD8(buffer, 0xff, bytes), name + ": cuMemsetD8");
            if (file != "-") {
                const std::string fill = read(work + file);
                must(cuMemcpyHtoD(buffer, fill.data(), fill.size()), name + ": cuMemcpyHtoD");
            }
            buffers.push_back(buffer);
        } else if (verb == "launch") {
            std::string kernel;
            unsigned g[3], b[3], shared, cooperative, count;
            words >> kernel >> g[0] >> g[1] >> g[2] >> b[0] >> b[1] >> b[2] >> shared >> cooperative >> count;
            std::vector<std::vector<unsigned char>> values;
            for (unsigned i = 0; i < count; i++) {
                std::string word;
                words >> word;
                std::vector<unsigned char> bytes;
                if (word[0] == 'b') {
                    CUdeviceptr buffer = buffers.at(std::stoul(word.substr(1)));
                    bytes.assign(reinterpret_cast<unsigned char*>(&buffer), reinterpret_cast<unsigned char*>(&buffer + 1));
                } else {
                    for (size_t at = 1; at + 1 < word.size(); at += 2)
                        bytes.push_back(static_cast<unsigned char>(std::stoul(word.substr(at, 2), nullptr, 16)));
                }
                values.push_back(bytes);
            }
            std::vector<void*> args;
            for (auto& value : values) args.push_back(value.data());
            CUfunction function;
            must(cuModuleGetFunction(&function, module, kernel.c_str()), name + ": " + kernel);
            if (shared > 48 * 1024)
                must(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared), name);
            auto run = cooperative ? cuLaunchCooperativeKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, nullptr, args.data())
                                   : cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], shared, nullptr, args.data(), nullptr);
            must(run, name + ": launch");
            must(cuCtxSynchronize(), name + ": cuCtxSynchronize");
        }
    }
}
