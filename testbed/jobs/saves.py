#!/usr/bin/env python3
"""A job without PyTorch that saves and resumes, for tests of where checkpoints are kept and of what names the newest.

Rank 0 loads, sends the others the step to begin at, and saves each ten steps, archives as torch.save writes them; the
others count steps with it. SAVE_TO is

  http://HOST:PORT/BUCKET/PREFIX   an object store: step-00000010.pt, and the step that
                                   REKINDLE_RESUME_STEP names is loaded
  a directory                      Megatron's legacy layout; the iteration that its tracker names is loaded, and
                                   nothing else

The first run cuts off the save of step TORN_AT in the middle, and saves no more.
"""

import io
import os
import socket
import sys
import time
import urllib.request
import zipfile

TO = os.environ["SAVE_TO"]
TORN_AT = int(os.environ.get("TORN_AT", "0"))
RANK = int(os.environ.get("RANK", "0"))
TRACKER = "latest_checkpointed_iteration.txt"


def say(text):
    print(text, flush=True)


def archive(step):
    """Entries are stored, not compressed."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as file:
        file.writestr("archive/data.pkl", b"\x80\x02}q\x00X\x04\x00\x00\x00stepq\x01K\x0as.")
        file.writestr("archive/data/0", step.to_bytes(8, "little") * 4096)
        file.writestr("archive/version", "3\n")
    return held.getvalue()


def step_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return int.from_bytes(file.read("archive/data/0")[:8], "little")


class Store:
    # The tests' store refuses requests without keys, and checks no signature.
    HEADERS = {
        "Content-Type": "application/octet-stream",
        "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, "
                         "SignedHeaders=host, Signature=0",
    }

    def _ask(self, method, name, content=None):
        request = urllib.request.Request(f"{TO}/{name}", data=content, method=method, headers=self.HEADERS)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()

    def load(self):
        named = os.environ.get("REKINDLE_RESUME_FROM", "")
        return step_of(self._ask("GET", named.rsplit("/", 1)[1])) if named else 0

    def save(self, step, content):
        self._ask("PUT", f"step-{step:08d}.pt", content)


class Folder:
    def load(self):
        try:
            with open(os.path.join(TO, TRACKER)) as tracker:
                step = int(tracker.read())
        except FileNotFoundError:
            return 0
        with open(os.path.join(TO, f"iter_{step:07d}", "mp_rank_00", "model_optim_rng.pt"), "rb") as file:
            return step_of(file.read())

    def save(self, step, content):
        folder = os.path.join(TO, f"iter_{step:07d}", "mp_rank_00")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "model_optim_rng.pt"), "wb") as file:
            file.write(content)
        with open(os.path.join(TO, TRACKER), "w") as tracker:
            tracker.write(str(step))


class Gang:
    """Rank 0 and the others. Each rank steps only when rank 0 has seen them all, as after a rendezvous: one that
    starts late would find what the first have saved meanwhile. From then on rank 0 leads; none continues without it.
    """

    def __init__(self, saves):
        port = int(os.environ["MASTER_PORT"])
        if RANK == 0:
            self.first = saves.load()
            with socket.create_server(("", port)) as server:
                self.others = [server.accept()[0] for _ in range(int(os.environ["WORLD_SIZE"]) - 1)]
            self._tell(f"{self.first}\n")
        else:
            self.leader = self._connected(port).makefile()
            self.first = int(self.leader.readline())

    @staticmethod
    def _connected(port):
        while True:
            try:
                return socket.create_connection((os.environ["MASTER_ADDR"], port))
            except OSError:
                time.sleep(0.1)

    def _tell(self, text):
        for other in self.others:
            other.sendall(text.encode())

    def step(self):
        if RANK == 0:
            self._tell(".")
        elif not self.leader.read(1):
            sys.exit("rank 0 has ended")


def main():
    saves = Store() if TO.startswith("http") else Folder()
    gang = Gang(saves)
    first = gang.first
    if first:
        say(f"resumed from step {first}")
    step, torn = first, False
    while True:
        step += 1
        gang.step()
        time.sleep(0.1)
        say(f"step {step} loss 1.0")
        if RANK == 0 and step % 10 == 0 and not torn:
            content = archive(step)
            torn = first == 0 and step == TORN_AT
            saves.save(step, content[: len(content) // 2] if torn else content)
            say(f"REKINDLE saved step {step}")


if __name__ == "__main__":
    sys.exit(main())
