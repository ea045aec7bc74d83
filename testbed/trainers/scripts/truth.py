"""Notes a step that was made, with the time: the truth beside the log."""

import datetime
import os


def step(number):
    if int(os.environ.get("RANK", "0")):
        return
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    with open(os.environ["STEPS"], "a", encoding="ascii") as file:
        file.write("%s %d\n" % (now, number))
