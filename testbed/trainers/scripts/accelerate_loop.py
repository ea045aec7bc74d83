"""A loop with Accelerate and tqdm, as in its examples."""

import time

import torch
import truth
from accelerate import Accelerator
from tqdm.auto import tqdm

accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.AdamW(model.parameters())
loader = torch.utils.data.DataLoader([(torch.randn(8), torch.randn(1)) for _ in range(64)], batch_size=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
bar = tqdm(range(64), disable=not accelerator.is_local_main_process)
done = 0
for epoch in range(4):
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.03)
        done += 1
        truth.step(done)
        bar.update(1)
    accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
