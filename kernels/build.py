#!/usr/bin/env python3
"""Compiles every kernels/*.cu into the .ptx beside it, with NVRTC 12.2.140.

    pip install --target DIR nvidia-cuda-nvrtc-cu12==12.2.140
    python3 kernels/build.py DIR            (or without DIR, when the wheel is installed for this Python)

See README.md for why it is this NVRTC and no newer one.
"""

import ctypes
import hashlib
import importlib.util
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = [b"--gpu-architecture=compute_75", b"--std=c++17", b"--device-as-default-execution-space"]
VERSION = (12, 2)


def library(folder):
    """The folder with libnvrtc of the wheel unpacked in `folder`, or of the installed one."""
    if folder:
        places = [Path(folder), Path(folder) / "lib", Path(folder) / "nvidia" / "cuda_nvrtc" / "lib"]
    else:
        try:
            spec = importlib.util.find_spec("nvidia.cuda_nvrtc")
        except ModuleNotFoundError:
            spec = None
        places = [Path(place) / "lib" for place in spec.submodule_search_locations] if spec else []
    for place in places:
        if (place / "libnvrtc.so.12").exists():
            return place
    sys.exit("libnvrtc.so.12 not found: pip install --target DIR nvidia-cuda-nvrtc-cu12==12.2.140, then build.py DIR")


def load(folder):
    place = library(folder)
    # NVRTC opens its builtins by name; loaded first, they are found whatever the search path.
    for builtins in place.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(str(place / "libnvrtc.so.12"))
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    if (major.value, minor.value) != VERSION:
        sys.exit(f"NVRTC {major.value}.{minor.value} found, {VERSION[0]}.{VERSION[1]} wanted: the PTX must load on driver 535")
    return nvrtc


def headers(source):
    """The names of all headers that `source` includes, directly or through another, sorted."""
    found, texts = set(), [source]
    while texts:
        for name in re.findall(rb'^#include "([^"]+)"', texts.pop(), re.M):
            if name not in found:
                found.add(name)
                texts.append((HERE / name.decode()).read_bytes())
    return sorted(found)


def text(nvrtc, program, what):
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
    return buffer.value


def compile(nvrtc, path):
    source = path.read_bytes()
    names = headers(source)
    contents = [(HERE / name.decode()).read_bytes() for name in names]
    strings = ctypes.c_char_p * len(names)
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source, path.name.encode(), len(names), strings(*contents), strings(*names)
    )
    failed = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), (ctypes.c_char_p * len(OPTIONS))(*OPTIONS))
    log = text(nvrtc, program, "ProgramLog").decode().strip()
    if log:
        print(log, file=sys.stderr)
    if failed:
        sys.exit(f"{path.name} does not compile")
    ptx = text(nvrtc, program, "PTX")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    hash = hashlib.sha256(source + b"".join(contents)).hexdigest()
    path.with_suffix(".ptx").write_bytes(f"// source sha256: {hash}\n".encode() + ptx.strip() + b"\n")
    print(f"{path.stem}.ptx: {len(ptx)} bytes")


def main():
    nvrtc = load(sys.argv[1] if len(sys.argv) > 1 else None)
    for path in sorted(HERE.glob("*.cu")):
        compile(nvrtc, path)


main()
