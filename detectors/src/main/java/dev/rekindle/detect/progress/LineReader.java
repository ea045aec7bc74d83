package dev.rekindle.detect.progress;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rekindle.detect.progress.Reading.Other;
import dev.rekindle.detect.progress.Reading.Step;
import java.util.List;
import java.util.Optional;

/**
 * Says what one line of a training log says of a step, by the formats that are known. It remembers
 * nothing: the same line reads the same. Expressions are RE2's, so that no line takes longer than
 * its length.
 */
final class LineReader {
  /** What is read of a line, in characters. */
  private static final int LOOKED_AT = 2_048;

  /** A count in an epoch is multiplied by the number of the epoch: so both stay below this. */
  private static final long MOST_COMBINED = 1_000_000_000L;

  private static final Pattern REKINDLE =
      Pattern.compile("(?:^|[^A-Za-z0-9_])REKINDLE step (\\d{1,18})(?:[^0-9A-Za-z_.]|$)");

  private static final Pattern STEP =
      Pattern.compile(
          "(?i)(?:^|[^a-z0-9_])(?:(?:train|training)[_ -]?)?(?:global[_ -]?)?"
              + "(?:step|iteration|iter)[\"']?\\s*[:=]?\\s*(\\d{1,18})(?:\\s*(?:/|of)\\s*(\\d{1,18}))?"
              + "(?:[^a-z0-9_.]|\\.(?:\\D|$)|$)");

  private static final Pattern EPOCH_OF_LOG =
      Pattern.compile("'epoch': '?(\\d{1,7})(?:\\.(\\d+))?");

  private static final Pattern STEP_OF_LOG =
      Pattern.compile("'global_step/max_steps': '?(\\d{1,18})/");

  /**
   * A format with its expression.
   *
   * @param format what it reads
   * @param mark is in each of its lines, so that the expression is not tried on others
   * @param line finds it
   * @param epoch the group of the epoch; 0 for none
   * @param count the group of the step
   * @param total the group of how far the step goes in its epoch; 0 for none
   * @param first the number of the first epoch
   */
  private record Form(
      StepFormat format, String mark, Pattern line, int epoch, int count, int total, int first) {
    Optional<Reading> read(String text) {
      if (!text.contains(mark)) {
        return Optional.empty();
      }
      var matcher = line.matcher(text);
      if (!matcher.find()) {
        return Optional.empty();
      }
      return LineReader.reading(format, text, matcher.start(), new Numbers(this, matcher));
    }
  }

  /** What was found of a step. */
  private record Numbers(long epoch, long count, long total) {
    Numbers(Form form, Matcher matcher) {
      this(
          epochOf(form, matcher),
          Bars.number(matcher.group(form.count())),
          form.total() == 0 ? -1 : group(matcher, form.total()));
    }

    private static long epochOf(Form form, Matcher matcher) {
      long epoch = form.epoch() == 0 ? -1 : group(matcher, form.epoch());
      return epoch < 0 ? -1 : Math.max(0, epoch - form.first());
    }

    private static long group(Matcher matcher, int group) {
      var text = matcher.group(group);
      return text == null ? -1 : Bars.number(text);
    }
  }

  private static final List<Form> FORMS =
      List.of(
          form(
              StepFormat.MEGATRON,
              "consumed samples",
              "(?:^|\\s)iteration\\s+(\\d{1,18})/\\s*\\d{1,18} \\| consumed samples",
              1),
          form(StepFormat.DEEPSPEED, "skipped=", "\\[Rank \\d+\\] step=(\\d{1,18}), skipped=", 1),
          new Form(
              StepFormat.COMPOSER,
              "=",
              Pattern.compile(
                  "\\[(?:epoch=(\\d{1,9})\\]\\[)?(?:batch|iteration|sample|token)="
                      + "(\\d{1,18})(?:/(\\d{1,18}))?\\]"),
              1,
              2,
              3,
              1),
          new Form(
              StepFormat.MMENGINE,
              "(train)",
              Pattern.compile(
                  "(?:Epoch|Iter)\\(train\\)\\s*(?:\\[(\\d{1,9})\\])?\\s*\\[\\s*"
                      + "(\\d{1,18})/\\s*(\\d{1,18})\\]"),
              1,
              2,
              3,
              1),
          new Form(
              StepFormat.TIMM,
              "Train: ",
              Pattern.compile("Train: (\\d{1,9}) \\[\\s*(\\d{1,9})/(\\d{1,9})[\\] ]"),
              1,
              2,
              3,
              0),
          new Form(
              StepFormat.PYTORCH_EXAMPLES,
              "Train Epoch: ",
              Pattern.compile("Train Epoch: (\\d{1,9}) \\[\\s*(\\d{1,18})/(\\d{1,18})[\\] ]"),
              1,
              2,
              3,
              1),
          new Form(
              StepFormat.TORCHVISION,
              "Epoch",
              Pattern.compile("Epoch:? ?\\[(\\d{1,9})\\]\\s*\\[\\s*(\\d{1,18})/(\\d{1,18})\\]"),
              1,
              2,
              3,
              0),
          form(
              StepFormat.GLOBAL_STEP,
              "_",
              "(?i)(?:^|[^a-z0-9_])(?:global_?step|num_updates)[\"']?\\s*[:=]?\\s*[\"']?(\\d{1,18})"
                  + "(?:\\.0+)?(?:[^a-z0-9_.]|\\.(?:\\D|$)|$)",
              1),
          new Form(
              StepFormat.EPOCH_AND_STEP,
              "poch",
              Pattern.compile(
                  "(?i)(?:^|[^a-z])epoch[^a-z0-9]{0,3}(\\d{1,9})(?:\\s*/\\s*\\d{1,9})?"
                      + "[^a-z0-9]{1,6}(?:step|iter|iteration|batch)[^a-z0-9]{0,3}(\\d{1,9})"
                      + "\\s*(?:/|of)\\s*(\\d{1,9})(?:[^a-z0-9.]|$)"),
              1,
              2,
              3,
              0));

  /** Counts of evaluations, of trainers whose lines say so beside the number. */
  private static final Pattern EVALUATION =
      Pattern.compile(
          "(?:\\[Eval batch=|(?:Epoch|Iter)\\((?:val|test)\\)\\s*(?:\\[\\d{1,9}\\])?\\s*\\[\\s*"
              + "|Test:\\s+\\[\\s*)(\\d{1,18})/\\s*(\\d{1,18})");

  private LineReader() {}

  private static Form form(StepFormat format, String mark, String expression, int count) {
    return new Form(format, mark, Pattern.compile(expression), 0, count, 0, 0);
  }

  /** What a line says, as it was printed. */
  static Optional<Reading> read(String raw) {
    var line = AnsiText.of(raw);
    var text = line.text();
    if (text.length() > LOOKED_AT) {
      text = text.substring(0, LOOKED_AT);
      line = new AnsiText(text, line.above());
    }
    if (text.contains("REKINDLE step ")) {
      var matcher = REKINDLE.matcher(text);
      if (matcher.find()) {
        long step = Bars.number(matcher.group(1));
        return Optional.of(new Step(StepFormat.REKINDLE, "REKINDLE", -1, step, -1, -1));
      }
    }
    if (Bars.isBar(text)) {
      return Bars.read(line);
    }
    for (var form : FORMS) {
      var reading = form.read(text);
      if (reading.isPresent()) {
        return reading;
      }
    }
    var evaluation = EVALUATION.matcher(text);
    if (evaluation.find()) {
      long count = Bars.number(evaluation.group(1));
      return Optional.of(new Other("evaluation of " + evaluation.group(2), count));
    }
    var plain = plain(text);
    return plain.isPresent() ? plain : logOfHuggingFace(text);
  }

  /**
   * {@code {'loss': 2.1, 'epoch': 0.12}}: it has no step, but it moves. What follows Hugging Face's
   * Trainer may add one.
   */
  private static Optional<Reading> logOfHuggingFace(String text) {
    if (!text.contains("'epoch': ")) {
      return Optional.empty();
    }
    var step = STEP_OF_LOG.matcher(text);
    if (step.find()) {
      return Optional.of(
          new Step(
              StepFormat.GLOBAL_STEP,
              StepFormat.GLOBAL_STEP.name(),
              -1,
              Bars.number(step.group(1)),
              -1,
              -1));
    }
    var epoch = EPOCH_OF_LOG.matcher(text);
    if (!epoch.find()) {
      return Optional.empty();
    }
    var fraction = epoch.group(2) == null ? "" : epoch.group(2);
    var digits = (fraction + "000000").substring(0, 6);
    return Optional.of(new Other("epoch", Bars.number(epoch.group(1) + digits)));
  }

  private static Optional<Reading> plain(String text) {
    var matcher = STEP.matcher(text);
    if (!matcher.find()
        || !LineWords.isRestOfStep(text, Math.max(matcher.end(1), matcher.end(2)))) {
      return Optional.empty();
    }
    return reading(
        StepFormat.STEP, text, matcher.start(), new Numbers(-1, Bars.number(matcher.group(1)), -1));
  }

  private static Optional<Reading> reading(
      StepFormat format, String text, int begin, Numbers numbers) {
    boolean inEpoch =
        numbers.epoch() >= 0 && numbers.epoch() < MOST_COMBINED && numbers.total() < MOST_COMBINED;
    return switch (LineWords.before(text, begin)) {
      case NEITHER -> Optional.empty();
      case EVALUATION -> Optional.of(new Other("evaluation", numbers.count()));
      case TRAINING ->
          Optional.of(
              new Step(
                  format,
                  format.name(),
                  inEpoch ? numbers.epoch() : -1,
                  numbers.count(),
                  numbers.total(),
                  -1));
    };
  }
}
