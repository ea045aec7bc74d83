"""Steps of Hugging Face's Trainer: Trainer(..., callbacks=[StepCallback()]). Needs transformers."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

import rekindle


class StepCallback(TrainerCallback):
    """Says each save, and each step that the Trainer has done, at most once in every_seconds, on the first process of each node."""

    def __init__(self, every_seconds: float = 1.0) -> None:
        self.every_seconds = every_seconds

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_local_process_zero:
            rekindle.step(int(state.global_step), every_seconds=self.every_seconds)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            rekindle.saved(int(state.global_step))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_local_process_zero:
            rekindle.step(int(state.global_step))
