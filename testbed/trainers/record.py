#!/usr/bin/env python3
"""Records what real trainers print, as the log that a kubelet keeps of it, beside the steps that they really made.

  record.py --out DIRECTORY [CASE...]      all cases that need no GPU, or those named
  record.py --list                         the cases
  record.py --long --out DIRECTORY         NAME.log.gz of jobs that train for ten minutes, all at once

A case is a script of scripts/ that trains a tiny model, most on the CPU. For each, NAME.log has its output in the
format of container logs (Kubernetes CRI logging: a line is written when it is whole, or in pieces of 16 KiB), and
NAME.steps one line `TIME STEP` for each step, written by a hook in the trainer and not by what it prints.

The long ones are about the time between lines: they compute, share the machine, evaluate and save. Of them the log
alone is kept, packed.
"""

import argparse
import datetime
import gzip
import os
import re
import subprocess
import sys
import tempfile
import threading
from importlib import metadata

HERE = os.path.dirname(os.path.realpath(__file__))
PIECE = 16 * 1024

# NAME: (package whose version is noted, arguments of python)
TORCHRUN = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--tee", "3"]
CASES = {
    "plain-ddp": ("torch", TORCHRUN + ["plain_ddp.py"]),
    "huggingface": ("transformers", ["hf_trainer.py"]),
    "huggingface-no-bar": ("transformers", ["hf_trainer.py", "--no-bar"]),
    "huggingface-torchrun": ("transformers", TORCHRUN + ["hf_trainer.py"]),
    "accelerate": ("accelerate", ["accelerate_loop.py"]),
    "lightning-tqdm": ("lightning", ["lightning_trainer.py", "tqdm"]),
    "lightning-rich": ("lightning", ["lightning_trainer.py", "rich"]),
    "deepspeed": ("deepspeed", TORCHRUN + ["deepspeed_engine.py", "--info"]),
    "deepspeed-warnings": ("deepspeed", TORCHRUN + ["deepspeed_engine.py"]),
    "composer": ("mosaicml", ["composer_trainer.py"]),
    "composer-bar": ("mosaicml", ["composer_trainer.py", "--bar"]),
    "torchtune": ("torchtune", ["torchtune_recipe.py"]),
}
ON_GPUS = {
    "torchtitan": ("torchtitan", ["torchtitan_trainer.py"]),
    "torchtitan-resumed": ("torchtitan", ["torchtitan_trainer.py", "--resumed"]),
}

LONG = {
    "loop": ("torch", ["long_loop.py"]),
    "ddp": ("torch", TORCHRUN + ["long_ddp.py"]),
    "huggingface": ("transformers", ["long_hf.py"]),
    "lightning": ("lightning", ["long_lightning.py"]),
}


def stamp():
    now = datetime.datetime.now(datetime.timezone.utc)
    return now.strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z"


def follow(pipe, stream, log, lock):
    """Writes what comes out of a pipe as a container runtime does."""
    pending = b""

    def write(tag, text):
        with lock:
            log.write(("%s %s %s " % (stamp(), stream, tag)).encode() + text + b"\n")

    while True:
        read = os.read(pipe.fileno(), 65536)
        if not read:
            break
        pending += read
        while b"\n" in pending or len(pending) > PIECE:
            line, newline, rest = pending.partition(b"\n")
            if newline and len(line) <= PIECE:
                write("F", line)
                pending = rest
            else:
                write("P", pending[:PIECE])
                pending = pending[PIECE:]
    if pending:
        write("F", pending)


def environment(scratch):
    return dict(os.environ, STEPS=os.path.join(scratch, "steps"), OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1",
                TOKENIZERS_PARALLELISM="false", DS_ACCELERATOR="cpu", GLOO_SOCKET_IFNAME="lo",
                PYTHONPATH=os.pathsep.join([os.path.join(HERE, "scripts"), os.environ.get("PYTHONPATH", "")]),
                PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1", PYTHONWARNINGS="ignore", COLUMNS="80")


def run(name, arguments, path, scratch, environment):
    """Runs a case and writes the log of its container."""
    arguments = [os.path.join(HERE, "scripts", a) if a.endswith(".py") else a for a in arguments]
    with open(path, "wb") as log:
        process = subprocess.Popen([sys.executable, *arguments], cwd=scratch, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lock = threading.Lock()
        readers = [threading.Thread(target=follow, args=(pipe, stream, log, lock))
                   for pipe, stream in ((process.stdout, "stdout"), (process.stderr, "stderr"))]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        if process.wait():
            raise SystemExit("%s: exit code %d; see %s" % (name, process.returncode, log.name))
    clean(path, scratch)


def record(name, directory):
    package, arguments = {**CASES, **ON_GPUS}[name]
    with tempfile.TemporaryDirectory() as scratch:
        given = environment(scratch)
        if name in CASES:
            given["CUDA_VISIBLE_DEVICES"] = ""
        run(name, arguments, os.path.join(directory, name + ".log"), scratch, given)
        with open(given["STEPS"], encoding="ascii") as made, \
                open(os.path.join(directory, name + ".steps"), "w", encoding="ascii") as out:
            out.write("# %s %s\n" % (package, metadata.version(package)))
            out.write(made.read())
    print("%-24s %s" % (name, metadata.version(package)), flush=True)


def record_long(name, directory):
    package, arguments = LONG[name]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "log")
        run(name, arguments, path, scratch, dict(environment(scratch), CUDA_VISIBLE_DEVICES=""))
        # Without name and time of the file the same log gives the same bytes.
        with open(path, "rb") as log, open(os.path.join(directory, name + ".log.gz"), "wb") as out, \
                gzip.GzipFile("", "wb", 9, out, 0) as packed:
            packed.write(log.read())
    print("%-24s %s" % (name, metadata.version(package)), flush=True)


def clean(path, scratch):
    """Takes out what says where it was recorded: paths of this machine, and addresses."""
    with open(path, "rb") as log:
        text = log.read()
    for real, shown in ((scratch, "/work"), (HERE, "/app"), (os.path.dirname(os.path.dirname(os.__file__)), "/usr/lib"),
                        *((p, "/usr/lib/python") for p in sys.path if p)):
        text = text.replace(real.encode(), shown.encode())
    text = re.sub(rb"https?://[^\s)\]]+", b"https://example.org", text)
    with open(path, "wb") as log:
        log.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=".")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    if given.list:
        print("\n".join([*CASES, *ON_GPUS]))
        return
    if given.long:
        jobs = [threading.Thread(target=record_long, args=(name, given.out)) for name in given.cases or LONG]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        return
    for name in given.cases or CASES:
        record(name, given.out)


if __name__ == "__main__":
    main()
