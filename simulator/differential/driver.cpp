// Runs every kernel of a manifest on the first GPU and writes what came out.
// Usage: driver WORK OUT. WORK is what `cargo run -p simulator-tests --example differential -- write WORK` wrote.
// Each kernel is k(const void* in, void* out). NAME.cubin is run where there is one, else NAME.ptx is compiled by the
// driver. A kernel that does not load is noted. One that faults is noted too, and ends this process with status 3, because
// nothing more can run in it: the next call goes on behind it.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

static std::string message(CUresult result) {
    const char* text = nullptr;
    cuGetErrorString(result, &text);
    return text ? text : "unknown error";
}

static void must(CUresult result, const std::string& what) {
    if (result == CUDA_SUCCESS) return;
    std::cerr << what << ": " << message(result) << "\n";
    std::exit(1);
}

static std::string read(const std::string& path, const std::string& otherwise = "") {
    std::ifstream file(path, std::ios::binary);
    if (!file && !otherwise.empty()) return read(otherwise);
    if (!file) {
        std::cerr << "cannot read " << path << "\n";
        std::exit(2);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

static std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r') c = ' ';
    return text;
}

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: driver WORK OUT\n";
        return 2;
    }
    const std::string work = argv[1], out = argv[2];
    must(cuInit(0), "cuInit");
    CUdevice device;
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    CUcontext context;
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    // Recursive programs need more than the default.
    must(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16384), "cuCtxSetLimit");
    CUdeviceptr from, to;
    must(cuMemAlloc(&from, 1 << 20), "cuMemAlloc");
    must(cuMemAlloc(&to, 1 << 20), "cuMemAlloc");
    char name[256];
    must(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    int version = 0;
    must(cuDriverGetVersion(&version), "cuDriverGetVersion");

    const std::string inputs = read(work + "/inputs.bin");
    std::istringstream manifest(read(work + "/manifest.txt"));
    // What earlier calls have done stays.
    std::string done, outputs;
    if (std::ifstream(out + "/index.txt")) {
        done = read(out + "/index.txt");
        outputs = read(out + "/outputs.bin");
    }
    std::ostringstream index;
    index << done;
    if (done.empty()) index << "# " << name << ", CUDA driver " << version / 1000 << "." << version % 1000 / 10 << "\n";
    std::string kernel, fingerprint;
    bool faulted = false;
    unsigned blocks, threads;
    size_t in_offset, in_bytes, out_bytes;
    int ran = 0, failed = 0;
    while (manifest >> kernel >> fingerprint >> blocks >> threads >> in_offset >> in_bytes >> out_bytes) {
        if (done.find("\n" + kernel + " ") != std::string::npos) continue;
        const std::string ptx = read(work + "/" + kernel + ".cubin", work + "/" + kernel + ".ptx");
        std::vector<char> log(4096);
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
        CUmodule module;
        CUresult loaded = cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
        if (loaded != CUDA_SUCCESS) {
            const std::string why = one_line(message(loaded) + " " + log.data());
            index << kernel << " " << fingerprint << " failed " << why << "\n";
            std::cerr << kernel << ": " << why << "\n";
            ++failed;
            continue;
        }
        CUfunction function;
        must(cuModuleGetFunction(&function, module, "k"), kernel);
        must(cuMemcpyHtoD(from, inputs.data() + in_offset, in_bytes), kernel);
        must(cuMemsetD8(to, 0xcd, out_bytes), kernel);
        void* arguments[] = {&from, &to};
        must(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr), kernel);
        const CUresult ended = cuCtxSynchronize();
        if (ended != CUDA_SUCCESS) {
            index << kernel << " " << fingerprint << " failed " << message(ended) << "\n";
            std::cerr << kernel << ": " << message(ended) << "\n";
            ++failed;
            faulted = true;
            break;
        }
        std::string result(out_bytes, 0);
        must(cuMemcpyDtoH(&result[0], to, out_bytes), kernel);
        must(cuModuleUnload(module), kernel);
        index << kernel << " " << fingerprint << " " << outputs.size() << " " << out_bytes << "\n";
        outputs += result;
        ++ran;
    }
    std::ofstream(out + "/index.txt", std::ios::binary) << index.str();
    std::ofstream(out + "/outputs.bin", std::ios::binary) << outputs;
    std::cout << ran << " kernels ran, " << failed << " failed, on " << name << "\n";
    return faulted ? 3 : 0;
}
