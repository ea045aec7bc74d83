"""DeepSpeed's engine: deepspeed_engine.py DIRECTORY STEP GENERATION STAGE [no-latest].

STAGE is that of ZeRO. no-latest: the script asks for no file latest.
"""

import sys

import deepspeed
import torch

directory, step, generation, stage = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
torch.manual_seed(step * 1000 + generation)
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())
deepspeed.init_distributed("gloo")
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config={
    "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": stage}, "zero_allow_untested_optimizer": True})
engine.backward(engine(torch.randn(2, 16)).sum())
engine.step()
engine.global_steps = step
engine.save_checkpoint(directory, save_latest="no-latest" not in sys.argv)
torch.distributed.barrier()
torch.distributed.destroy_process_group()
