#!/usr/bin/env python3
"""Breaks checkpoints and writes down what their own libraries print when they load them (see README.md).

  load_errors.py --out DIRECTORY [LIBRARY...]     all of them, or those named; a file for each
"""

import argparse
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import traceback
from importlib import metadata

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.append(os.path.join(HERE, "savers"))


def cut_in_half(data):
    return data[:len(data) // 2]


def end_missing(data):
    return data[:-7]


def empty(_):
    return b""


def gone(_):
    return None


def zeros(data):
    return b"\0" * len(data)


def other_beginning(data):
    return bytes(b ^ 255 for b in data[:16]) + data[16:]


def other_middle(data):
    at = len(data) // 2
    return data[:at] + bytes(b ^ 255 for b in data[at:at + 16]) + data[at + 16:]


def pointer(data):
    """A file of Git LFS in its place."""
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (b"0" * 64, len(data))


# Characters of a line that are kept.
LONGEST = 300
WAYS = [cut_in_half, end_missing, empty, gone, zeros, other_beginning, other_middle, pointer]


def printed(error, folder):
    """The traceback as Python prints it, without lines of source, and without paths of this machine."""
    lines = "".join(traceback.format_exception(error)).replace(folder, "/ckpt").replace(HERE, "/job").splitlines()
    text = "\n".join(line[:LONGEST] for line in lines if line and not line.startswith("    "))
    for path in site.getsitepackages():
        text = text.replace(path, "/python/site-packages")
    return text.replace(os.path.dirname(os.__file__), "/python")


def kind(text):
    """What is the same in errors that differ in numbers and names only: words, and what the library called."""
    lines = [re.sub(r"/ckpt\S*|\d+|'\S+'|\\x\w\w", "#", line)[:60] if not line.startswith("  ") else
             line.rpartition(" ")[2] for line in text.splitlines() if "/python/site-packages/" in line or
             not line.startswith("  ")]
    return tuple(lines)


def one(name, out):
    from loaders import LOADERS
    loader = LOADERS[name]()
    work = tempfile.mkdtemp(prefix="load-errors-")
    whole, folder = os.path.join(work, "whole"), os.path.join(work, "ckpt")
    os.mkdir(whole)
    loader.save(whole)
    seen, loaded = set(), 0
    with open(os.path.join(out, name + ".txt"), "w", encoding="utf-8") as file:
        file.write("".join("# %s %s\n" % (p, metadata.version(p)) for p in loader.packages))
        for path, _, names in sorted(os.walk(whole)):
            for at in sorted(os.path.join(path, n) for n in names if not n.endswith(".py")):
                with open(at, "rb") as source:
                    data = source.read()
                inside = os.path.relpath(at, whole)
                for way in WAYS:
                    shutil.rmtree(folder, ignore_errors=True)
                    shutil.copytree(whole, folder)
                    broken = way(data)
                    os.remove(os.path.join(folder, inside))
                    if broken is not None:
                        with open(os.path.join(folder, inside), "wb") as target:
                            target.write(broken)
                    try:
                        loader.load(folder)
                        loaded += 1
                        continue
                    except BaseException as error:  # pylint: disable=broad-exception-caught
                        text = printed(error, folder)
                    if kind(text) not in seen:
                        seen.add(kind(text))
                        file.write("## %s: %s\n%s\n" % (inside, way.__name__.replace("_", " "), text))
    shutil.rmtree(work)
    print("%-22s %3d errors of different words; %3d broken ones were loaded" % (name, len(seen), loaded), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--here", action="store_true", help="in this process")
    parser.add_argument("libraries", nargs="*")
    options = parser.parse_args()
    if options.here:
        one(options.libraries[0], options.out)
        return
    if not options.libraries:
        from loaders import LOADERS
        options.libraries = list(LOADERS)
    environment = dict(os.environ, OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="", JAX_PLATFORMS="cpu", RANK="0",
                       WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="29511",
                       HF_HUB_OFFLINE="1", DS_ACCELERATOR="cpu", GLOO_SOCKET_IFNAME="lo", PYTHONHASHSEED="0",
                       PYTHONDONTWRITEBYTECODE="1")
    failed = 0
    for name in options.libraries:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
            done = subprocess.run([sys.executable, __file__, "--here", "--out", options.out, name], env=environment,
                                  stderr=log, check=False)
            if done.returncode:
                log.seek(0)
                print(name, "does not run:", log.read()[-2000:])
                failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
