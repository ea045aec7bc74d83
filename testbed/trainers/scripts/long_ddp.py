"""Two ranks under DistributedDataParallel for minutes; rank 0 prints each tenth step, and saves and evaluates alone."""

import torch
import torch.distributed as dist
import work

dist.init_process_group("gloo")
rank = dist.get_rank()
inner = work.Model()
model = torch.nn.parallel.DistributedDataParallel(inner)
optimizer = torch.optim.AdamW(model.parameters())
step, ends = 0, torch.zeros(())
while not ends:
    for batch in torch.utils.data.DataLoader(work.Batches(2_400), batch_size=4, num_workers=1):
        ends.fill_(float(work.over()))
        dist.broadcast(ends, 0)
        if ends:
            break
        loss = model(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if rank == 0 and step % 10 == 0:
            print(f"[step {step}] loss: {loss.item():.4f}", flush=True)
        if rank == 0 and step % 300 == 0:
            torch.save({"model": inner.state_dict(), "step": step}, "step.pt")
        if rank == 0 and step % 700 == 0:
            with torch.no_grad():
                for held in torch.utils.data.DataLoader(work.Batches(2_000), batch_size=4):
                    inner(**held)
dist.destroy_process_group()
