"""The saves that are recorded: what is there before, what is saved, and where."""

from dataclasses import dataclass, field


@dataclass
class Case:
    """One save.

    saver is a script of savers/, before the arguments of the runs that make what is there (each a list), save those of
    the recorded run. old and new are the paths of the checkpoints in the directory; the same path where one is
    overwritten. whole is the verdict on a checkpoint that is complete; optional are patterns of paths that resuming
    does not need.
    """

    format: str
    name: str
    saver: str
    before: list
    save: list
    old: str
    new: str
    old_step: int
    step: int
    world: int = 1
    whole: str = "Valid"
    optional: list = field(default_factory=list)
    packages: list = field(default_factory=lambda: ["torch"])

    def facts(self):
        # torchtitan's folders are those of torch.distributed.checkpoint.
        yield "format", {"torchtitan": "dcp"}.get(self.format, self.format)
        yield "old", "%d %s" % (self.old_step, self.old)
        yield "new", "%d %s" % (self.step, self.new)
        yield "whole", self.whole
        for name in self.optional:
            yield "optional", name


def at(path, step):
    return path(step) if callable(path) else path % step


def beside(format, name, saver, path, how=(), steps=(10, 20), **rest):
    """A save of the next step beside a whole one; path has a place for the step, or is called with it."""
    old, new = steps
    return Case(format, name, saver, [[str(old), "1", *how]], [str(new), "1", *how], at(path, old), at(path, new), old,
                new, **rest)


def over(format, name, saver, path, how=(), steps=(10, 20), **rest):
    """A save over a whole checkpoint of the same step, as after a roll-back, beside an older one."""
    old, new = steps
    return Case(format, name, saver, [[str(old), "1", *how], [str(new), "1", *how]], [str(new), "2", *how],
                at(path, old), at(path, new), old, new, **rest)


def both(format, saver, path, **rest):
    return [beside(format, "beside", saver, path, **rest), over(format, "over", saver, path, **rest)]


def dcp(format, name, path, how, over=False):
    paths = [path % 10, path % 20]
    before = [[paths[0], "1", how]] + ([[paths[1], "1", how]] if over else [])
    return Case(format, name, "torch_dcp", before, [paths[1], "2", how], paths[0], paths[1], 10, 20, world=2)


# Written for people; resuming does not read it.
NOT_LOADED = [".*/training_args[.]bin"]
HF = ["torch", "transformers", "accelerate", "safetensors"]
NEMO = "tiny--val_loss=1.50-step=%d-consumed_samples=%d.0-last"
ACCELERATE = ["torch", "accelerate", "safetensors"]

CASES = [
    *both("torch-save", "torch_save", "step-%08d.pt"),
    beside("torch-save", "rename", "torch_save", "step-%08d.pt", ["rename"]),
    beside("torch-save", "rotate", "torch_save", "step-%08d.pt", ["rotate"]),
    dcp("dcp", "sync", "step_%d", "sync"),
    dcp("dcp", "async", "step_%d", "async"),
    dcp("dcp", "over", "step_%d", "sync", over=True),
    dcp("dcp", "no-collectives", "step_%d", "no-collectives"),
    dcp("dcp", "no-collectives-over", "step_%d", "late", over=True),
    dcp("dcp", "parts", "step_%d", "parts"),
    dcp("dcp", "parts-over", "step_%d", "parts", over=True),
    dcp("torchtitan", "beside", "step-%d", "async"),
    dcp("torchtitan", "over", "step-%d", "async", over=True),
    *both("safetensors", "safetensors_file", "model-step-%d.safetensors", packages=["torch", "safetensors"]),
    *both("huggingface", "hf_trainer", "checkpoint-%d", optional=NOT_LOADED, packages=HF),
    beside("huggingface", "rotate", "hf_trainer", "checkpoint-%d", ["1"], optional=NOT_LOADED, packages=HF),
    beside("huggingface", "two-ranks", "hf_trainer", "checkpoint-%d", world=2, optional=NOT_LOADED, packages=HF),
    beside("huggingface", "sharded", "hf_sharded", "checkpoint-%d", packages=HF),
    over("huggingface", "sharded-over", "hf_sharded", "checkpoint-%d", packages=HF),
    beside("huggingface", "bin", "hf_sharded", "checkpoint-%d", ["bin"], packages=HF),
    *[
        case("huggingface", name, "hf_nested", "checkpoint-%d", how=[how], world=2, packages=HF + more)
        for how, more in (("fsdp", []), ("deepspeed", ["deepspeed"]))
        for case, name in ((beside, how), (over, how + "-over"))
    ],
    beside("huggingface",
           "deepspeed-scheduler",
           "hf_nested",
           "checkpoint-%d", ["deepspeed-scheduler"],
           world=2,
           packages=HF + ["deepspeed"]),
    beside("accelerate",
           "safetensors",
           "accelerate_state",
           "checkpoints/checkpoint_%d",
           steps=(0, 1),
           packages=ACCELERATE),
    beside("accelerate",
           "bin",
           "accelerate_state",
           "checkpoints/checkpoint_%d", ["bin"],
           steps=(0, 1),
           packages=ACCELERATE),
    over("accelerate", "named-over", "accelerate_state", "step_%d", ["named"], packages=ACCELERATE),
    beside("lightning", "beside", "lightning_file", "epoch=0-step=%d.ckpt", packages=["torch", "lightning"]),
    beside("lightning", "link", "lightning_file", "epoch=0-step=%d.ckpt", ["link"], packages=["torch", "lightning"]),
    beside("lightning", "copy", "lightning_file", "epoch=0-step=%d.ckpt", ["copy"], packages=["torch", "lightning"]),
    beside("lightning",
           "sharded",
           "lightning_sharded",
           "epoch=0-step=%d.ckpt",
           world=2,
           packages=["torch", "lightning"]),
    over("lightning",
         "sharded-over",
         "lightning_sharded",
         "epoch=0-step=%d.ckpt",
         world=2,
         packages=["torch", "lightning"]),
    *both("deepspeed", "deepspeed_engine", "global_step%d", how=["2"], world=2, packages=["torch", "deepspeed"]),
    over("deepspeed", "no-latest-over", "deepspeed_engine", "global_step%d", ["2", "no-latest"], world=2,
         packages=["torch", "deepspeed"]),
    beside("deepspeed", "zero-1", "deepspeed_engine", "global_step%d", ["1"], world=2, packages=["torch", "deepspeed"]),
    *both("megatron", "megatron_dist", "iter_%07d", world=2, packages=["torch", "megatron-core"]),
    *both("nemo", "nemo_layout", lambda step: NEMO % (step, step * 4), world=2, packages=["torch", "megatron-core"]),
    beside("orbax", "beside", "orbax_manager", "%d", packages=["jax", "orbax-checkpoint"]),
    beside("orbax", "async", "orbax_manager", "%d", ["async"], packages=["jax", "orbax-checkpoint"]),
    beside("orbax", "two-ranks", "orbax_manager", "%d", world=2, packages=["jax", "orbax-checkpoint"]),
    beside("nvrx-local",
           "beside",
           "nvrx_local",
           "session/0/iter_%07d_0_local.pt",
           world=2,
           whole="Unknown",
           packages=["torch", "nvidia-resiliency-ext"]),
]
