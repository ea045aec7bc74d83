#!/usr/bin/env python3
"""Records real saves of checkpoints, operation by operation, as journals (see README.md).

  record.py --out DIRECTORY [CASE...]      all cases, or those named; needs strace and the packages of requirements.txt
  record.py --list                         the cases
"""

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from importlib import metadata

import cases
from journal import Journal
from trace import OPTIONS, Directory, Replay

HERE = os.path.dirname(os.path.realpath(__file__))


def saver(case, directory, arguments):
    script = os.path.join(HERE, "savers", case.saver + ".py")
    start = [sys.executable, os.path.join(HERE, "ranks.py"), str(case.world)] if case.world > 1 else [sys.executable]
    return start + [script, directory, *arguments]


def run(command, log):
    environment = dict(os.environ, OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", CUDA_VISIBLE_DEVICES="",
                       JAX_PLATFORMS="cpu", PYTHONDONTWRITEBYTECODE="1", HF_HUB_OFFLINE="1", PYTHONHASHSEED="0",
                       DS_ACCELERATOR="cpu", GLOO_SOCKET_IFNAME="lo")
    with open(log, "ab") as out:
        done = subprocess.run(command, env=environment, stdout=out, stderr=out, check=False)
    if done.returncode:
        with open(log, encoding="utf-8", errors="replace") as text:
            raise RuntimeError("%s\nexit code %d of %s" % (text.read()[-4000:], done.returncode, " ".join(command)))


def snapshot(journal, root):
    """The directory as it is, as operations with times relative to its newest one."""
    found = []
    for path, folders, files in os.walk(root):
        for name in sorted(folders + files):
            at = os.path.join(path, name)
            status = os.lstat(at)
            found.append((at, status))
    newest = max((s.st_mtime for _, s in found), default=0)
    for at, status in sorted(found, key=lambda f: f[0]):
        name, micros = os.path.relpath(at, root), round((status.st_mtime - newest) * 1e6)
        if stat.S_ISLNK(status.st_mode):
            journal.before.append(journal.line(micros, "symlink", name, os.readlink(at)))
        elif stat.S_ISDIR(status.st_mode):
            journal.before.append(journal.line(micros, "mkdir", name))
        else:
            with open(at, "rb") as file:
                data = file.read()
            journal.before.append(journal.line(micros, "create", name))
            if data:
                journal.before.append(journal.line(micros, "write", name, 0, data))


def record(case, out):
    work = tempfile.mkdtemp(prefix="checkpoint-")
    root, log, trace = (os.path.join(work, n) for n in ("root", "log", "trace"))
    try:
        os.mkdir(root)
        for before in case.before:
            run(saver(case, root, before), log)
        journal = Journal()
        for name, value in case.facts():
            journal.fact(name, value)
        for package in case.packages:
            journal.fact("package", "%s %s" % (package, metadata.version(package)))
        snapshot(journal, root)
        start = []

        def operation(when, kind, *rest):
            start.append(when)
            journal.operations.append(journal.line(round((when - start[0]) * 1e6), kind, *rest))

        directory = Directory(root, operation)
        run(["strace", *OPTIONS, "-o", trace, "--seccomp-bpf", *saver(case, root, case.save)], log)
        Replay(directory).run(trace)
        wrong = directory.same_as_disk()
        if wrong:
            raise RuntimeError("the operations do not give what is on the disk: %s" % wrong[:5])
        path = os.path.join(out, case.format, case.name + ".zip")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        journal.write(path)
        print("%-40s %5d operations %8d bytes written %7d bytes packed" %
              (case.format + "/" + case.name, len(journal.operations), len(journal.bytes), os.path.getsize(path)),
              flush=True)
    finally:
        if os.environ.get("KEEP"):
            print("kept:", work)
        else:
            shutil.rmtree(work)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    known = {case.format + "/" + case.name: case for case in cases.CASES}
    if options.list or not options.out:
        print("\n".join(known))
        return
    failed = 0
    for name in options.cases or known:
        chosen = [c for n, c in known.items() if n == name or n.startswith(name + "/")]
        if not chosen:
            sys.exit("no such case: " + name)
        for case in chosen:
            try:
                record(case, options.out)
            except RuntimeError as e:
                print("%s/%s: %s" % (case.format, case.name, e), flush=True)
                failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
