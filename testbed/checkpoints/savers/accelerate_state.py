"""Accelerate's save_state with automatic names: accelerate_state.py DIRECTORY STEP GENERATION [bin].

Step 1 is checkpoint_0, step 2 is checkpoint_1 and so on: Accelerate counts saves, not steps.
"""

import os
import sys

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(step * 1000 + generation)
accelerator = Accelerator(cpu=True, project_config=ProjectConfiguration(
    project_dir=directory, automatic_checkpoint_naming=True, iteration=step - 1))
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
model, optimizer, scheduler = accelerator.prepare(model, optimizer, scheduler)
model(torch.randn(4, 16)).sum().backward()
optimizer.step()
accelerator.save_state(safe_serialization="bin" not in sys.argv)
