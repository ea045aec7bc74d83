"""What a training script says to Rekindle, and what it is given to resume from.

There is no service behind this: a step and a request are lines on the standard output, a checkpoint is an environment
variable. Both are described in docs/annotations.md; a script can do the same without this package.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Optional, Tuple

__all__ = ["Resume", "attempt", "request_restart", "resume", "resume_path", "saved", "saving", "step"]

MAX_STEP = 10**18 - 1
MAX_REASON = 200

_lock = threading.Lock()
_last_printed: Optional[float] = None


@dataclass(frozen=True)
class Resume:
    """What Rekindle has chosen for this attempt.

    path: the checkpoint to resume from.
    step: its step; None where Rekindle does not know it.
    attempt: the name of this attempt.
    reason: why the job was restarted, for people.
    """

    path: str
    step: Optional[int]
    attempt: str
    reason: str


def step(n: int, *, every_seconds: float = 0.0) -> None:
    """Say that step n is done. Any rank may say it, and all may.

    every_seconds: say nothing if a step was said less than so long ago.
    """
    global _last_printed
    _check_step(n)
    with _lock:
        now = time.monotonic()
        if _last_printed is not None and now - _last_printed < every_seconds:
            return
        _last_printed = now
        _print(f"REKINDLE step {n}")


@contextmanager
def saving(n: int) -> Iterator[None]:
    """Say that the checkpoint of step n is being saved, and that it is saved once the block ends without an exception.

    Say it on one rank. For a save that goes on in the background say saved(n) when it is over.
    """
    _check_step(n)
    with _lock:
        _print(f"REKINDLE saving step {n}")
    yield
    saved(n)


def saved(n: int) -> None:
    """Say that the checkpoint of step n is saved."""
    _check_step(n)
    with _lock:
        _print(f"REKINDLE saved step {n}")


def request_restart(reason: str, *, before_step: Optional[int] = None) -> None:
    """Ask for a restart of the whole gang, by any rank.

    It resumes from the newest valid checkpoint, or from the newest of a step below before_step. Go on or wait after
    this, but do not exit: the request ends with the container.

    reason: for people; cut at 200 characters.
    """
    if before_step is not None:
        _check_step(before_step)
    words = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", reason).split())[:MAX_REASON]
    before = "" if before_step is None else f" before_step={before_step}"
    with _lock:
        _print(f"REKINDLE restart{before}: {words or 'no reason given'}")


def attempt() -> str:
    """The name of this attempt; write it into each checkpoint. Empty before the first recovery."""
    return os.environ.get("REKINDLE_ATTEMPT", "")


def resume() -> Optional[Resume]:
    """What Rekindle has chosen to resume from; None where it leaves that to the script."""
    path = os.environ.get("REKINDLE_RESUME_FROM", "")
    if not path:
        return None
    digits = os.environ.get("REKINDLE_RESUME_STEP", "")
    known = int(digits) if re.fullmatch(r"[0-9]{1,18}", digits) else None
    return Resume(path, known, attempt(), os.environ.get("REKINDLE_RESUME_REASON", ""))


def resume_path(
    checkpoints: Iterable[Tuple[int, str]] = (),
    attempt_of: Optional[Callable[[str], Optional[str]]] = None,
) -> Optional[str]:
    """The checkpoint to resume from; None to start from the beginning.

    Call it on rank 0 and broadcast the answer: ranks must not differ.

    Without arguments it is what Rekindle has chosen, or None. With them it is also right where Rekindle leaves the
    choice to the script, and where the kubelet has restarted the container by itself, whose environment still names the
    checkpoint from which the attempt began:

    checkpoints: the step and path of each that there is, in any order.
    attempt_of: the attempt that was written into a checkpoint (None or "" without one); it raises where the checkpoint
        cannot be loaded, and an older one is taken. It is not asked of the one that Rekindle has chosen: if that cannot
        be loaded, fail.
    """
    chosen = resume()
    newest_first = sorted(checkpoints, key=lambda one: one[0], reverse=True)
    if chosen is None:
        return next((path for _, path in newest_first if _attempt(attempt_of, path) is not None), None)
    at = chosen.step if chosen.step is not None else _step_of(chosen.path, newest_first)
    if at is None or not chosen.attempt or attempt_of is None:
        return chosen.path
    later = (path for step_of_it, path in newest_first if step_of_it > at)
    return next((path for path in later if _attempt(attempt_of, path) == chosen.attempt), chosen.path)


def _attempt(attempt_of: Optional[Callable[[str], Optional[str]]], path: str) -> Optional[str]:
    """The attempt in a checkpoint; None where it cannot be loaded."""
    if attempt_of is None:
        return ""
    try:
        return attempt_of(path) or ""
    except Exception as error:  # whatever a torn file makes of itself: an older one may be whole
        with _lock:
            _print(f"cannot use {path}: {type(error).__name__}")
        return None


def _step_of(path: str, checkpoints: Iterable[Tuple[int, str]]) -> Optional[int]:
    wanted = os.path.realpath(path)
    return next((at for at, one in checkpoints if os.path.realpath(one) == wanted), None)


def _check_step(n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= MAX_STEP:
        raise ValueError(f"a step is an int from 0 to {MAX_STEP}, not {n!r}")


def _print(line: str) -> None:
    # One write, so that lines of other threads do not come in between.
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
