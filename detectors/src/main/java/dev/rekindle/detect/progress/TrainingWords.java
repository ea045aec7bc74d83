package dev.rekindle.detect.progress;

import java.util.Set;

/** The words, in small letters, that say what a number on a line counts. */
final class TrainingWords {
  /** Said before a number that counts no step, wherever it stands. */
  static final Set<String> NOT_NOW =
      Set.of(
          "building",
          "checkpoint",
          "checkpointed",
          "checkpointing",
          "continuing",
          "dataloader",
          "downloaded",
          "downloading",
          "installing",
          "load",
          "loaded",
          "loading",
          "preprocess",
          "preprocessing",
          "restore",
          "restored",
          "restoring",
          "resume",
          "resumed",
          "resuming",
          "save",
          "saved",
          "saving",
          "scheduled",
          "scheduler",
          "setup",
          "started",
          "starting",
          "starts",
          "tokenizing",
          "will");

  /** Said right before a step that is not the present one. */
  static final Set<String> NOT_THIS =
      Set.of(
          "after", "before", "every", "from", "max", "next", "per", "since", "till", "total",
          "until", "warmup");

  static final Set<String> EVALUATION =
      Set.of(
          "dev",
          "eval",
          "evaluate",
          "evaluating",
          "evaluation",
          "inference",
          "predict",
          "predicting",
          "prediction",
          "sanity",
          "test",
          "testing",
          "val",
          "valid",
          "validate",
          "validating",
          "validation");

  /** One of these makes a bar one of the training, where no other word says otherwise. */
  static final Set<String> TRAINING =
      Set.of(
          "epoch",
          "epochs",
          "finetune",
          "finetuning",
          "iter",
          "iteration",
          "iterations",
          "iters",
          "loss",
          "pretrain",
          "pretraining",
          "step",
          "steps",
          "train",
          "training",
          "update",
          "updates");

  /** What else the name of such a bar may hold. */
  static final Set<String> BESIDE =
      Set.of(
          "acc",
          "accuracy",
          "at",
          "avg",
          "batch",
          "batches",
          "best",
          "current",
          "dpo",
          "ep",
          "fine",
          "global",
          "gpu",
          "grad",
          "grpo",
          "in",
          "inf",
          "kl",
          "learning",
          "lm",
          "lr",
          "main",
          "mean",
          "model",
          "nan",
          "node",
          "norm",
          "of",
          "on",
          "perplexity",
          "phase",
          "policy",
          "ppl",
          "ppo",
          "process",
          "progress",
          "rank",
          "rate",
          "reward",
          "running",
          "sft",
          "the",
          "total",
          "tuning");

  private TrainingWords() {}
}
