"""Starts the ranks of a saver as processes of one machine: `ranks.py COUNT SCRIPT ARGUMENT...`."""

import os
import socket
import subprocess
import sys


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
    codes = [rank.wait() for rank in ranks]
    sys.exit(max(abs(code) for code in codes))


if __name__ == "__main__":
    main()
