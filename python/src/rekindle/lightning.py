"""Steps of Lightning's Trainer: Trainer(callbacks=[StepCallback()]). Needs lightning or pytorch-lightning."""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

import rekindle


class StepCallback(Callback):
    """Says each optimizer step, at most once in every_seconds, on the first process of each node."""

    def __init__(self, every_seconds: float = 1.0) -> None:
        super().__init__()
        self.every_seconds = every_seconds
        self._said = -1

    def on_train_batch_end(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        step = int(trainer.global_step)
        if trainer.local_rank == 0 and step > 0 and step != self._said:
            self._said = step
            rekindle.step(step, every_seconds=self.every_seconds)

    def on_train_end(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        if trainer.local_rank == 0:
            rekindle.step(int(trainer.global_step))
