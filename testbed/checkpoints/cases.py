"""The saves that are recorded: what is there before, what is saved, and where."""

from dataclasses import dataclass, field


@dataclass
class Case:
    """One save.

    saver is a script of savers/, before the arguments of the runs that make what is there (each a list), save those of the
    recorded run. old and new are the paths of the checkpoints in the directory; the same path where one is overwritten.
    whole is the verdict on a checkpoint that is complete; optional are names of files that resuming does not need.
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
        yield "format", self.format
        yield "old", "%d %s" % (self.old_step, self.old)
        yield "new", "%d %s" % (self.step, self.new)
        yield "whole", self.whole
        for name in self.optional:
            yield "optional", name


def beside(format, name, saver, path, how=(), steps=(10, 20), **rest):
    """A save of the next step beside a whole one; path has a place for the step."""
    old, new = steps
    return Case(format, name, saver, [[str(old), "1", *how]], [str(new), "1", *how], path % old, path % new, old, new, **rest)


def over(format, name, saver, path, how=(), steps=(10, 20), **rest):
    """A save over a whole checkpoint of the same step, as after a roll-back, beside an older one."""
    old, new = steps
    return Case(format, name, saver, [[str(old), "1", *how], [str(new), "1", *how]], [str(new), "2", *how], path % old,
                path % new, old, new, **rest)


def both(format, saver, path, **rest):
    return [beside(format, "beside", saver, path, **rest), over(format, "over", saver, path, **rest)]


def dcp(format, name, path, how, over=False):
    paths = [path % 10, path % 20]
    before = [[paths[0], "1", how]] + ([[paths[1], "1", how]] if over else [])
    return Case(format, name, "dcp", before, [paths[1], "2", how], paths[0], paths[1], 10, 20, world=2)


CASES = [
    *both("torch-save", "torch_save", "step-%08d.pt"),
    beside("torch-save", "rename", "torch_save", "step-%08d.pt", ["rename"]),
    beside("torch-save", "rotate", "torch_save", "step-%08d.pt", ["rotate"]),
    dcp("dcp", "sync", "step_%d", "sync"),
    dcp("dcp", "async", "step_%d", "async"),
    dcp("dcp", "over", "step_%d", "sync", over=True),
    dcp("dcp", "no-collectives", "step_%d", "no-collectives"),
    dcp("dcp", "no-collectives-over", "step_%d", "no-collectives", over=True),
    dcp("torchtitan", "beside", "step-%d", "async"),
    dcp("torchtitan", "over", "step-%d", "async", over=True),
    *both("safetensors", "safetensors_file", "model-step-%d.safetensors", packages=["torch", "safetensors"]),
]
