#!/usr/bin/env python3
"""Damages a checkpoint of Orbax in many ways, and compares what `rekindle inspect` says with what TensorStore reads.

  orbax_damage.py [--count N]      needs the packages of requirements.txt

Two ranks save; of each copy one file of the arrays is cut off, removed, or has one bit turned. A copy is whole where
TensorStore reads all the arrays as they were saved.
"""

import argparse
import collections
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import tensorstore

HERE = os.path.dirname(os.path.realpath(__file__))


def arrays(folder):
    """Every chunk of every array, or nothing where one cannot be read."""
    try:
        store = tensorstore.KvStore.open({"driver": "ocdbt", "base": "file://%s/default/" % folder}).result()
        return {key: store.read(key).result().value for key in store.list().result()}
    except (ValueError, OSError):
        return None


def damage(path, random):
    """Does one of four things to a file; its times and those of its folder stay."""
    folder, size = os.path.dirname(path), os.path.getsize(path)
    times = {at: os.stat(at) for at in (path, folder)}
    kind = random.choice(("cut off", "cut off near its end", "removed", "one bit turned"))
    if kind == "cut off":
        os.truncate(path, random.randrange(size))
    elif kind == "cut off near its end":
        os.truncate(path, max(0, size - random.randrange(1, 400)))
    elif kind == "removed":
        os.remove(path)
    else:
        with open(path, "r+b") as file:
            at = random.randrange(size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << random.randrange(8)]))
    for at, status in times.items():
        if os.path.exists(at):
            os.utime(at, ns=(status.st_atime_ns, status.st_mtime_ns))
    return kind


def verdicts(root):
    command = [os.path.join(HERE, "..", "..", "rekindle"), "inspect", "--json", root]
    done = subprocess.run(command, capture_output=True, check=False)
    return {one["step"]: one["verdict"] for one in json.loads(done.stdout)["checkpoints"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    count = parser.parse_args().count
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as work:
        saved, root = os.path.join(work, "saved"), os.path.join(work, "root")
        saver = [sys.executable, os.path.join(HERE, "ranks.py"), "2", os.path.join(HERE, "savers", "orbax_manager.py")]
        subprocess.run([*saver, saved, "1", "1"], env=dict(os.environ, JAX_PLATFORMS="cpu"), check=True)
        truth = arrays(saved + "/1")
        files = [os.path.relpath(path, saved + "/1")
                 for path in sorted(glob.glob(saved + "/1/default/**", recursive=True))
                 if os.path.isfile(path) and ("/d/" in path or path.endswith("manifest.ocdbt"))]
        done = {}
        for step in range(1, count + 1):
            copy = "%s/%d" % (root, step)
            shutil.copytree(saved + "/1", copy)
            kind = damage(os.path.join(copy, chance.choice(files)), chance)
            done[step] = (kind, "whole" if arrays(copy) == truth else "damaged")
        said = verdicts(root)
    table = collections.Counter((*done[step], said.get(step, "none")) for step in done)
    for (kind, whole, verdict), times in sorted(table.items()):
        print("%-22s %-8s %-8s %6d" % (kind, whole, verdict, times))


if __name__ == "__main__":
    main()
