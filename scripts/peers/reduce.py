#!/usr/bin/env python3
"""Times a sum of the workbook beside CUB, PyTorch, a copy and a plain read of the same bytes, in one process on one GPU.

    nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC scripts/peers/cub.cu -o libcub.so
    python3 scripts/peers/reduce.py --cub ./libcub.so --out book/results/DEVICE/peers/reduction.json \\
        kernels/reduction/best.cu

Needs an NVIDIA GPU, nvcc, PyTorch and CuPy. Run at the top of the repository.

The kernel file is compiled by NVRTC and launched as its `//@` lines say, for each element type. All candidates of a size run
in turn, in a new random order each round, behind a kernel that spins while the host queues them. `cold`: one call, after
other memory of four times the L2's size has been read. `warm`: back-to-back calls on the same array. Every result is compared
with a sum in double precision (int: exactly). A ratio is the median over the rounds of PEER's time over the kernel's, with its
99 % interval by order statistics: above 1 the kernel is faster.
"""

import argparse
import ctypes
import datetime
import json
import math
import random
import re
import subprocess
import sys

import cupy
import torch

# name: (the kernel file's `element` and `accumulator`, the same for PyTorch)
TYPES = {
    "float": (("float", "float"), (torch.float32, torch.float32)),
    "int": (("int", "int"), (torch.int32, torch.int32)),
    "half": (("__half", "float"), (torch.float16, torch.float32)),
}
OURS = "kernel"
WARM_BYTES = 1 << 27  # beyond twice the L2 there is nothing to be warm
PART = 1 << 26  # elements made or checked at a time


class KernelFile:
    """A kernel file's `let`, `scratch` and `launch` lines, for one element type."""

    def __init__(self, path, kind, sizes):
        self.types = dict(zip(("element", "accumulator"), TYPES[kind][0]))
        source = open(path).read()
        lines = (re.sub(r"\s*//.*", "", m[1]).strip() for m in re.finditer(r"^//@\s*(.*)$", source, re.M))
        self.lets, self.scratches, self.launches = [], [], []
        for line in lines:
            if m := re.fullmatch(r"let\s+(\w+)\s*=\s*(.*)", line):
                self.lets.append(m.groups())
            elif m := re.fullmatch(r"scratch\s+(\w+):\s*\w+\[(.*)\]", line):
                self.scratches.append(m.groups())
            elif m := re.fullmatch(r"launch\s+(.*)<<<(.*)>>>\((.*)\)", line):
                self.launches.append(m.groups())
            elif line and not line.startswith("blocks "):
                sys.exit(f"{path}: `{line}` is not understood here")
        names = {self.instance(kernel, self.scope(n)) for kernel, _, _ in self.launches for n in sizes}
        self.module = cupy.RawModule(code="#include <cuda_fp16.h>\n" + source, options=("-std=c++17", "-default-device"),
                                     name_expressions=sorted(names))

    @staticmethod
    def value(text, scope):
        """An expression of a kernel file; integers, as in C."""
        return eval(text.replace("/", "//"), {"__builtins__": {}}, scope)  # noqa: S307 (our own kernel files)

    def scope(self, n):
        sms = torch.cuda.get_device_properties(0).multi_processor_count
        scope = {"n": n, "sms": sms, "min": min, "max": max, "ceil_div": lambda a, b: -(-a // b)}
        for name, text in self.lets:
            scope[name] = self.value(text, scope)
        return scope

    def instance(self, kernel, scope):
        base, _, arguments = kernel.partition("<")
        words = [word.strip() for word in arguments.rstrip(">").split(",")]
        return f"{base}<{', '.join(self.types.get(word) or str(scope.get(word, word)) for word in words)}>"

    def bind(self, x, total, n):
        """A function that launches everything for this array."""
        scope = self.scope(n)
        buffers = {"x": x.data_ptr(), "sum": total.data_ptr()}
        keep = []
        for name, length in self.scratches:
            keep.append(torch.empty(self.value(length, scope), dtype=torch.float64, device="cuda"))
            buffers[name] = keep[-1].data_ptr()
        calls = []
        for kernel, shape, words in self.launches:
            grid, block, *shared = (self.value(part, scope) for part in re.split(r",\s*(?![^()]*\))", shape))
            arguments = tuple(cupy.uintp(buffers[word]) if word in buffers else cupy.int32(scope[word])
                              for word in re.split(r",\s*", words))
            calls.append((self.module.get_function(self.instance(kernel, scope)), (grid,), (block,), arguments, *shared))

        def run(_keep=keep):
            for function, *arguments in calls:
                function(*arguments[:3], shared_mem=arguments[3] if len(arguments) > 3 else 0)
        return run


class Cub:
    """cub::DeviceReduce through the shared library, its temporary memory taken beforehand."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def bind(self, kind, x, total, n, stream):
        call, pointer = getattr(self.library, f"sum_{kind}"), ctypes.c_void_p
        arguments = pointer(x.data_ptr()), pointer(total.data_ptr()), ctypes.c_int(n), pointer(stream.cuda_stream)
        size = ctypes.c_size_t(0)
        assert call(None, ctypes.byref(size), *arguments) == 0, "CUB"
        scratch = torch.empty(max(size.value, 1), device="cuda", dtype=torch.uint8)
        return lambda: call(pointer(scratch.data_ptr()), ctypes.byref(size), *arguments)


class Reader:
    """The checker's own kernel that reads everything once: what the read roof is measured with."""

    def __init__(self, path):
        self.kernel = cupy.RawModule(code=open(path).read()).get_function("read_tiles")
        self.nothing = torch.empty(1, device="cuda")

    def bind(self, x):
        vectors = x.numel() * x.element_size() // 16
        arguments = cupy.uintp(x.data_ptr()), cupy.uintp(self.nothing.data_ptr()), cupy.uint64(vectors)
        blocks = -(-vectors // 2048)
        return lambda _keep=x: self.kernel((blocks,), (256,), arguments)


def interval(values):
    """The median and the 99 % interval of the median, by order statistics (binomial, p = 1/2)."""
    values, n = sorted(values), len(values)
    tail, k = 0.0, 0
    while tail + math.comb(n, k) / 2.0**n <= 0.005:
        tail += math.comb(n, k) / 2.0**n
        k += 1
    assert k > 0, "too few rounds for a 99 % interval"
    return {"median": values[n // 2], "low": values[k - 1], "high": values[n - k]}


def array(kind, n):
    """Random elements, and their sum: exact for int (modulo 2^32), in double precision otherwise; with a tolerance."""
    element = TYPES[kind][1][0]
    x = torch.empty(n, device="cuda", dtype=element)
    want, magnitude = 0, 0.0
    for part in x.split(PART):
        if kind == "int":
            part.copy_(torch.randint(-1000, 1000, part.shape, device="cuda"))
            want += int(part.sum(dtype=torch.int64))
        else:
            part.copy_(torch.rand(part.shape, device="cuda") - 0.5)
            want += float(part.sum(dtype=torch.float64))
            magnitude += float(part.abs().sum(dtype=torch.float64))
    if kind == "int":
        return x, (want + 2**31) % 2**32 - 2**31, 0
    # Roundings add up like a random walk; the longest chain is that of a thread of a persistent grid.
    return x, want, 2.0**-24 * magnitude * math.log2(max(n, 2))


def measure(runs, totals, want, slack, flush, calls, rounds):
    """Microseconds a call, by candidate: a list of `rounds`."""
    times = {name: [] for name in runs}
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for number in range(rounds + 2):  # two to warm up
        order = list(runs)
        random.shuffle(order)
        for name in order:
            if name in totals:
                totals[name].fill_(-77)
            (flush or runs[name])()
            torch.cuda._sleep(400_000 if calls == 1 else 100_000 * calls)
            start.record()
            for _ in range(calls):
                runs[name]()
            end.record()
            end.synchronize()
            if name in totals:
                got = totals[name].item()
                assert abs(got - want) <= slack, f"{name}: {got}, expected {want} within {slack}"
            if number >= 2:
                times[name].append(start.elapsed_time(end) * 1e3 / calls)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cub", required=True, help="the shared library made from cub.cu")
    parser.add_argument("--out", required=True, help="results file")
    parser.add_argument("--types", default="float,int,half")
    parser.add_argument("--sizes", default="10,12,14,16,18,20,22,24,26,28,30", help="logarithms to base 2")
    parser.add_argument("--rounds", type=int, default=61)
    parser.add_argument("--calls", type=int, default=20, help="back-to-back calls in a warm sample")
    parser.add_argument("kernel", help="a kernel file with x, sum and n, element and accumulator")
    options = parser.parse_args()
    sizes = [1 << int(size) for size in options.sizes.split(",")]

    device = torch.cuda.get_device_properties(0)
    stream = torch.cuda.Stream()
    random.seed(7)
    torch.manual_seed(7)
    rows = []
    with torch.cuda.stream(stream), cupy.cuda.ExternalStream(stream.cuda_stream):
        cub, reader = Cub(options.cub), Reader("checker/execution/src/measure/device/tools.cu")
        flush = reader.bind(torch.randn(device.L2_cache_size, device="cuda"))  # elements of four bytes
        for kind in options.types.split(","):
            file = KernelFile(options.kernel, kind, sizes)
            for n in sizes:
                x, want, slack = array(kind, n)
                accumulator = TYPES[kind][1][1]
                totals = {name: torch.empty((), device="cuda", dtype=accumulator) for name in (OURS, "CUB", "torch")}
                copy = torch.empty_like(x)
                runs = {
                    OURS: file.bind(x, totals[OURS], n),
                    "CUB": cub.bind(kind, x, totals["CUB"], n, stream),
                    "torch": lambda: torch.sum(x, dim=0, dtype=accumulator, out=totals["torch"]),
                    "copy": lambda: copy.copy_(x),
                    "read": reader.bind(x),
                }
                for cache in ("cold", "warm") if n * x.element_size() <= WARM_BYTES else ("cold",):
                    cold = cache == "cold"
                    times = measure(runs, totals, want, slack, flush if cold else None,
                                    1 if cold else options.calls, options.rounds)
                    ours = times[OURS]
                    row = {
                        "type": kind, "n": n, "cache": cache,
                        "us": {name: interval(values) for name, values in times.items()},
                        "ratio": {name: interval([theirs / own for theirs, own in zip(values, ours)])
                                  for name, values in times.items() if name != OURS},
                    }
                    rows.append(row)
                    print(f"{kind} 2^{n.bit_length() - 1} {cache}:",
                          "  ".join(f"{name} {us['median']:.2f}" for name, us in row["us"].items()), "us |",
                          "  ".join(f"{name} {r['median']:.3f} [{r['low']:.3f}, {r['high']:.3f}]"
                                    for name, r in row["ratio"].items()), flush=True)
                del x, copy, runs
                torch.cuda.empty_cache()
    version = cub.library.version()
    report = {
        "schema": 1,
        "device": device.name,
        "driver": driver_version(),
        "peers": {"CUB": f"{version // 100000}.{version // 100 % 1000}.{version % 100}", "torch": torch.__version__},
        "compiler": "NVRTC " + ".".join(map(str, cupy.cuda.nvrtc.getVersion())),
        "date": datetime.date.today().isoformat(),
        "command": f"python3 scripts/peers/reduce.py {options.kernel}",
        "rounds": options.rounds,
        "rows": rows,
    }
    with open(options.out, "w") as file:
        json.dump(report, file, indent=1)
        file.write("\n")


def driver_version():
    """The driver's version, as nvidia-smi says it."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]


if __name__ == "__main__":
    main()
