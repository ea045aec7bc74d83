"""Starts the ranks of a saver as processes of one machine: `ranks.py COUNT SCRIPT ARGUMENT...`."""

import os
import socket
import subprocess
import sys
import time


def main():
    count = int(sys.argv[1])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = []
    for rank in range(count):
        environment = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(count),
                           LOCAL_WORLD_SIZE=str(count), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        ranks.append(subprocess.Popen([sys.executable, *sys.argv[2:]], env=environment))
    while any(rank.poll() is None for rank in ranks):
        if any(rank.poll() for rank in ranks):
            # The others would wait for it in a collective.
            for rank in ranks:
                rank.kill()
        time.sleep(0.1)
    sys.exit(max(abs(rank.returncode) for rank in ranks))


if __name__ == "__main__":
    main()
