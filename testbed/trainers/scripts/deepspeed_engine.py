"""DeepSpeed's engine on CPUs, two ranks; it reports every fifth step, at level INFO, which --info asks for."""

import sys
import time

import deepspeed
import torch
import truth
from deepspeed.utils.logging import set_log_level_from_string

if "--info" in sys.argv:
    set_log_level_from_string("info")
model = torch.nn.Linear(16, 4)
deepspeed.init_distributed("gloo")
engine, *_ = deepspeed.initialize(
    model=model, optimizer=torch.optim.AdamW(model.parameters()),
    config={"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 1},
            "zero_allow_untested_optimizer": True, "steps_per_print": 5, "wall_clock_breakdown": False})
for step in range(1, 41):
    engine.backward(engine(torch.randn(2, 16)).sum())
    engine.step()
    time.sleep(0.02)
    truth.step(step)
torch.distributed.destroy_process_group()
