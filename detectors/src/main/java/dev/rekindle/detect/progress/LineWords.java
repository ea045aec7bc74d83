package dev.rekindle.detect.progress;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What the words beside a number say of it. */
final class LineWords {
  /** What is read before a number, in characters. */
  private static final int LOOKED_AT = 512;

  private static final int LONGEST = 16;

  /** Said before a number that counts no step, wherever it stands. */
  private static final Set<String> NOT_NOW =
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
  private static final Set<String> NOT_THIS =
      Set.of(
          "after", "before", "every", "from", "max", "next", "per", "since", "till", "total",
          "until", "warmup");

  private static final Set<String> EVALUATION =
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
  private static final Set<String> TRAINING =
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
  private static final Set<String> BESIDE =
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

  private LineWords() {}

  /** What a number counts. */
  enum Kind {
    TRAINING,
    EVALUATION,
    NEITHER
  }

  /** What a number counts that is called a step or the like, by the text before that. */
  static Kind before(String text, int end) {
    var words = new Words(text, Math.max(0, end - LOOKED_AT), end);
    boolean evaluation = false;
    String last = "";
    for (var word = words.next(); word.isPresent(); word = words.next()) {
      if (words.isPartOfName()) {
        continue;
      }
      last = word.get();
      if (NOT_NOW.contains(last)) {
        return Kind.NEITHER;
      }
      evaluation |= EVALUATION.contains(last);
    }
    if (NOT_THIS.contains(last)) {
      return Kind.NEITHER;
    }
    return evaluation ? Kind.EVALUATION : Kind.TRAINING;
  }

  /**
   * What a bar counts, by its name: one with a word that is not known counts something else. The
   * name of no bar says less than that.
   */
  static Kind ofBar(String name) {
    var words = new Words(name, 0, name.length());
    boolean training = false;
    boolean other = false;
    for (var word = words.next(); word.isPresent(); word = words.next()) {
      if (EVALUATION.contains(word.get())) {
        return Kind.EVALUATION;
      }
      boolean trains = TRAINING.contains(word.get());
      training |= trains;
      other |= !trains && word.get().length() > 1 && !BESIDE.contains(word.get());
    }
    return training && !other ? Kind.TRAINING : Kind.NEITHER;
  }

  /** Whether what follows a step is not prose: {@code Step 1: loading data} is none. */
  static boolean isRestOfStep(String text, int from) {
    boolean letters = false;
    int start = -1;
    for (int i = from; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ' ';
      if (c >= '0' && c <= '9') {
        return true;
      }
      if (isLetter(c)) {
        letters = true;
        start = start < 0 ? i : start;
      } else if (start >= 0) {
        var word = text.substring(start, i).toLowerCase(Locale.ROOT);
        if (word.equals("loss") || word.equals("nan") || word.equals("lr")) {
          return true;
        }
        start = -1;
      }
    }
    return !letters;
  }

  /** The name of a bar without its numbers, so that bars of one kind have one name. */
  static String nameOf(String bar) {
    var name = new StringBuilder();
    var words = new Words(bar, 0, bar.length());
    for (var word = words.next(); word.isPresent() && name.length() < 64; word = words.next()) {
      name.append(name.isEmpty() ? "" : " ").append(word.get());
    }
    return name.toString();
  }

  static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  /** The words of a text, in small letters; longer ones than any that is known are cut. */
  private static final class Words {
    private final String text;
    private final int end;
    private int at;
    private int begin;

    Words(String text, int from, int end) {
      this.text = text;
      this.at = from;
      this.end = end;
    }

    Optional<String> next() {
      while (at < end && !isLetter(text.charAt(at))) {
        at++;
      }
      if (at >= end) {
        return Optional.empty();
      }
      begin = at;
      while (at < end && isLetter(text.charAt(at))) {
        at++;
      }
      return Optional.of(
          text.substring(begin, Math.min(at, begin + LONGEST)).toLowerCase(Locale.ROOT));
    }

    /** Whether the newest word is part of a path, a module or a variable. */
    boolean isPartOfName() {
      return (begin > 0 && joins(text.charAt(begin - 1)))
          || (at < text.length() && joins(text.charAt(at)));
    }

    private static boolean joins(char c) {
      return c == '/' || c == '.' || c == '_' || c == '-';
    }
  }
}
