import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import rekindle


def environment(**variables):
    cleared = {name: value for name, value in os.environ.items() if not name.startswith("REKINDLE_")}
    return mock.patch.dict(os.environ, {**cleared, **variables}, clear=True)


def printed(action):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        action()
    return out.getvalue()


class StepTest(unittest.TestCase):
    def test_should_print_a_line_for_a_step(self):
        self.assertEqual("REKINDLE step 12\n", printed(lambda: rekindle.step(12)))

    def test_should_print_no_more_often_than_asked(self):
        def steps():
            for n in range(100):
                rekindle.step(n, every_seconds=3600)

        with mock.patch.object(rekindle, "_last_printed", None):
            self.assertEqual("REKINDLE step 0\n", printed(steps))

    def test_should_refuse_what_is_no_step(self):
        for wrong in (-1, 10**18, 1.5, "7", True):
            with self.subTest(wrong), self.assertRaises(ValueError):
                rekindle.step(wrong)


class SaveTest(unittest.TestCase):
    def test_should_say_when_a_save_begins_and_when_it_is_over(self):
        def save():
            with rekindle.saving(12):
                print("writing")

        self.assertEqual("REKINDLE saving step 12\nwriting\nREKINDLE saved step 12\n", printed(save))

    def test_should_not_call_a_save_over_that_failed(self):
        def save():
            with self.assertRaises(OSError), rekindle.saving(12):
                raise OSError("disk full")

        self.assertEqual("REKINDLE saving step 12\n", printed(save))


class RestartTest(unittest.TestCase):
    def test_should_ask_in_one_line(self):
        self.assertEqual("REKINDLE restart: loss spike\n", printed(lambda: rekindle.request_restart("loss\nspike\x1b")))
        self.assertEqual(
            "REKINDLE restart before_step=1200: x\n", printed(lambda: rekindle.request_restart("x", before_step=1200))
        )
        self.assertEqual("REKINDLE restart: no reason given\n", printed(lambda: rekindle.request_restart(" ")))

    def test_should_cut_a_long_reason(self):
        self.assertEqual(len("REKINDLE restart: \n") + 200, len(printed(lambda: rekindle.request_restart("x" * 999))))


class ResumeTest(unittest.TestCase):
    attempts = {"/c/10": "a", "/c/20": "b", "/c/30": "other", "/c/40": OSError("torn")}
    checkpoints = [(20, "/c/20"), (40, "/c/40"), (10, "/c/10"), (30, "/c/30")]

    def attempt_of(self, path):
        attempt = self.attempts[path]
        if isinstance(attempt, Exception):
            raise attempt
        return attempt

    def chosen(self, checkpoints=None, **variables):
        with environment(**variables), contextlib.redirect_stdout(io.StringIO()):
            return rekindle.resume_path(self.checkpoints if checkpoints is None else checkpoints, self.attempt_of)

    def test_should_take_the_newest_that_loads_where_nothing_is_chosen(self):
        self.assertEqual("/c/30", self.chosen())
        self.assertEqual("/c/30", self.chosen(REKINDLE_RESUME_FROM="", REKINDLE_ATTEMPT="b"))
        self.assertIsNone(self.chosen([]))
        with environment():
            self.assertIsNone(rekindle.resume_path())
            self.assertIsNone(rekindle.resume())
            self.assertEqual("", rekindle.attempt())

    def test_should_take_what_is_chosen_and_no_later_one_of_others(self):
        variables = {"REKINDLE_RESUME_FROM": "/c/10", "REKINDLE_RESUME_STEP": "10"}
        self.assertEqual("/c/10", self.chosen(**variables))
        self.assertEqual("/c/10", self.chosen(REKINDLE_ATTEMPT="c", **variables))
        with environment(REKINDLE_ATTEMPT="b", **variables):
            self.assertEqual("/c/10", rekindle.resume_path())
            self.assertEqual(rekindle.Resume("/c/10", 10, "b", ""), rekindle.resume())

    def test_should_take_the_newest_later_one_of_this_very_attempt(self):
        self.assertEqual(
            "/c/20", self.chosen(REKINDLE_RESUME_FROM="/c/10", REKINDLE_RESUME_STEP="10", REKINDLE_ATTEMPT="b")
        )
        self.assertEqual("/c/20", self.chosen(REKINDLE_RESUME_FROM="/c/10", REKINDLE_ATTEMPT="b"))
        self.assertEqual(
            "/elsewhere/10", self.chosen(REKINDLE_RESUME_FROM="/elsewhere/10", REKINDLE_ATTEMPT="b"), "step not known"
        )


class CallbacksTest(unittest.TestCase):
    def module(self, name, **modules):
        with mock.patch.dict(sys.modules, modules):
            sys.modules.pop(f"rekindle.{name}", None)
            return importlib.import_module(f"rekindle.{name}")

    def callback(self, module, **modules):
        return self.module(module, **modules).StepCallback(every_seconds=0)

    def hugging_face(self, **more):
        trainer = types.SimpleNamespace(TrainerCallback=type("TrainerCallback", (), {}))
        state = types.SimpleNamespace(**more)
        return self.module("huggingface", transformers=trainer, **{"transformers.trainer_callback": state})

    def test_should_say_steps_of_hugging_face(self):
        callback = self.hugging_face().StepCallback(every_seconds=0)
        zero = types.SimpleNamespace(is_local_process_zero=True, global_step=7)
        other = types.SimpleNamespace(is_local_process_zero=False, global_step=7)
        self.assertEqual("REKINDLE step 7\n", printed(lambda: callback.on_step_end(None, zero, None)))
        self.assertEqual("REKINDLE step 7\n", printed(lambda: callback.on_train_end(None, zero, None)))
        self.assertEqual("", printed(lambda: callback.on_step_end(None, other, None)))

    def test_should_choose_among_checkpoints_of_hugging_face(self):
        module = self.hugging_face(ExportableState=type("ExportableState", (), {}))
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(io.StringIO()):
            for step, attempt in ((10, ""), (20, "a"), (30, "b"), (40, None)):
                path = os.path.join(directory, f"checkpoint-{step}")
                os.mkdir(path)
                with environment(REKINDLE_ATTEMPT=attempt or ""):
                    state = {"stateful_callbacks": {"StepCallback": module.StepCallback().state()}}
                if attempt is not None:  # a save that was killed has no trainer_state.json
                    with open(os.path.join(path, "trainer_state.json"), "w", encoding="utf-8") as file:
                        json.dump(state, file)
            os.mkdir(os.path.join(directory, "runs"))

            def chosen(**variables):
                with environment(**variables):
                    return os.path.basename(module.resume_path(directory) or "")

            pinned = {"REKINDLE_RESUME_FROM": os.path.join(directory, "checkpoint-10"), "REKINDLE_RESUME_STEP": "10"}
            self.assertEqual("checkpoint-30", chosen())
            self.assertEqual("checkpoint-10", chosen(REKINDLE_ATTEMPT="c", **pinned))
            self.assertEqual("checkpoint-20", chosen(REKINDLE_ATTEMPT="a", **pinned))
        with environment():
            self.assertIsNone(module.resume_path("/nowhere"))

    def test_should_say_optimizer_steps_of_lightning_once(self):
        callbacks = types.SimpleNamespace(Callback=object)
        for name in ("lightning.pytorch", "pytorch_lightning"):
            with self.subTest(name):
                modules = {"lightning": None, "lightning.pytorch": None, "lightning.pytorch.callbacks": None}
                modules[name.split(".")[0]] = types.SimpleNamespace()
                modules[name] = types.SimpleNamespace(callbacks=callbacks)
                modules[f"{name}.callbacks"] = callbacks
                callback = self.callback("lightning", **modules)
                trainer = types.SimpleNamespace(local_rank=0, global_step=0)

                def train():
                    for step in (0, 1, 1, 1, 2):
                        trainer.global_step = step
                        callback.on_train_batch_end(trainer, None, None, None, 0)

                self.assertEqual("REKINDLE step 1\nREKINDLE step 2\n", printed(train))


if __name__ == "__main__":
    unittest.main()
