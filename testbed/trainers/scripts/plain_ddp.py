"""A plain loop under DistributedDataParallel, two ranks over Gloo; it prints every fifth step."""

import time

import torch
import torch.distributed as dist
import truth

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(1, 61):
    loss = model(torch.randn(8, 16)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.02)
    truth.step(step)
    if step % 5 == 0 and dist.get_rank() == 0:
        print(f"step {step}/60 loss {loss.item():.4f}", flush=True)
dist.destroy_process_group()
