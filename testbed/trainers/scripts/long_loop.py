"""A plain loop for minutes: compiled, with worker processes that each epoch starts anew, silent evaluations and saves.

A line for every step. Every other epoch ends with a batch of another shape, which is compiled again.
"""

import torch
import work

model = work.Model()
optimizer = torch.optim.AdamW(model.parameters())
compiled = torch.compile(model)
step = 0
while not work.over():
    loader = torch.utils.data.DataLoader(work.Batches(4_000 + step % 3), batch_size=8, num_workers=2)
    for batch in loader:
        if work.over():
            break
        loss = compiled(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        print(f"step {step} loss {loss.item():.4f}", flush=True)
        if step % 200 == 0:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, "step.pt")
        if step % 450 == 0:
            with torch.no_grad():
                for held in torch.utils.data.DataLoader(work.Batches(1_600), batch_size=8, num_workers=1):
                    model(**held)
