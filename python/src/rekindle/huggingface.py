"""Steps and checkpoints of Hugging Face's Trainer. Needs transformers.

Trainer(..., callbacks=[StepCallback()]) says steps; trainer.train(resume_from_checkpoint=resume_path(DIRECTORY))
resumes.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, List, Optional, Tuple

from transformers import TrainerCallback

import rekindle

try:
    from transformers.trainer_callback import ExportableState
except ImportError:  # older versions: no attempt is written, and what Rekindle has chosen is taken
    ExportableState = object  # type: ignore[assignment, misc]

_STATE = "trainer_state.json"


class StepCallback(TrainerCallback, ExportableState):
    """Says each save, and each step that the Trainer has done, at most once in every_seconds, on the first process of
    each node.

    It also has the Trainer write the name of the attempt into each checkpoint.
    """

    def __init__(self, every_seconds: float = 1.0) -> None:
        self.every_seconds = every_seconds

    def state(self) -> Dict[str, Any]:
        """What the Trainer writes about it into trainer_state.json."""
        return {"args": {"every_seconds": self.every_seconds}, "attributes": {"saved_by": rekindle.attempt()}}

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_local_process_zero:
            rekindle.step(int(state.global_step), every_seconds=self.every_seconds)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            rekindle.saved(int(state.global_step))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_local_process_zero:
            rekindle.step(int(state.global_step))


def resume_path(directory: str) -> Optional[str]:
    """The checkpoint to resume from, for trainer.train(resume_from_checkpoint=...); None to start from the beginning.

    What Rekindle has chosen; or a newer one of this very attempt, where a kubelet has restarted the container by
    itself; or, where Rekindle has chosen none, the newest that has a trainer_state.json, which the Trainer writes last.
    Ask on every rank: none saves before all of them have begun to train.

    directory: the output_dir of the TrainingArguments; it need not be there.
    """
    return rekindle.resume_path(_checkpoints(directory), _attempt_of)


def _checkpoints(directory: str) -> List[Tuple[int, str]]:
    names = os.listdir(directory) if os.path.isdir(directory) else []
    numbered = (re.fullmatch(r"checkpoint-(\d+)", name) for name in names)
    return [(int(name[1]), os.path.join(directory, name[0])) for name in numbered if name]


def _attempt_of(path: str) -> str:
    with open(os.path.join(path, _STATE), encoding="utf-8") as file:
        saved = json.load(file).get("stateful_callbacks", {}).get(StepCallback.__name__, {})
    # Several callbacks of one class are a list.
    first = saved[0] if isinstance(saved, list) else saved
    return first.get("attributes", {}).get("saved_by", "")
