"""Accelerate's save_state: accelerate_state.py DIRECTORY STEP GENERATION [bin] [named].

STEP is the number in checkpoint_N: Accelerate counts saves from 0, not steps. named: the script names the folder
itself, step_STEP.
"""

import os
import sys

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(step * 1000 + generation)
accelerator = Accelerator(cpu=True, project_config=ProjectConfiguration(
    project_dir=directory, automatic_checkpoint_naming="named" not in sys.argv, iteration=step))
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
model, optimizer, scheduler = accelerator.prepare(model, optimizer, scheduler)
model(torch.randn(4, 16)).sum().backward()
optimizer.step()
accelerator.save_state(os.path.join(directory, "step_%d" % step) if "named" in sys.argv else None,
                       safe_serialization="bin" not in sys.argv)
