package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What the lines of one run of a container say of the training loss. For one thread. */
final class LossTracker {
  /** What is read of a line, in characters. */
  private static final int LOOKED_AT = 2_048;

  /** {@code loss: 2.1}, {@code 'loss': '2.1'}, {@code lm loss: 1.0E+01 |}, {@code loss=nan}. */
  private static final Pattern LOSS =
      Pattern.compile(
          "(?i)(?:^|[^a-z0-9_./-])(?:(?:train|training|lm|total|avg|mean)[ _/-]?)?loss[\"']?"
              + "\\s{0,3}[:= ]\\s{0,3}[\"']?(?:tensor\\()?"
              + "([-+]?(?:nan|inf(?:inity)?|\\d{1,20}(?:\\.\\d{0,20})?(?:e[-+]?\\d{1,3})?))"
              + "(?:[^a-z0-9_.]|\\.(?:\\D|$)|$)");

  private @Nullable Double value;
  private int notFinite;
  private @Nullable Double before;

  /** Starts over, for another run of the container. One that named no loss is passed over. */
  void run() {
    if (value != null || notFinite > 0) {
      before = notFinite > 0 ? null : value;
    }
    value = null;
    notFinite = 0;
  }

  /** Takes a line that names a step, or that is the log of a trainer. */
  void take(String line) {
    var found = find(line);
    if (found.isEmpty()) {
      return;
    }
    if (Double.isFinite(found.getAsDouble())) {
      value = found.getAsDouble();
      notFinite = 0;
    } else if (notFinite < Integer.MAX_VALUE) {
      notFinite++;
    }
  }

  /** The loss so far; empty where no line has named one. */
  Optional<Loss> loss() {
    return value == null && notFinite == 0
        ? Optional.empty()
        : Optional.of(new Loss(value, notFinite, before));
  }

  /** The loss that a line names; NaN and infinity are values of it. */
  static OptionalDouble find(String line) {
    var text = line.length() <= LOOKED_AT ? line : line.substring(0, LOOKED_AT);
    if (!text.contains("loss") && !text.contains("Loss") && !text.contains("LOSS")) {
      return OptionalDouble.empty();
    }
    var matcher = LOSS.matcher(text);
    if (!matcher.find()) {
      return OptionalDouble.empty();
    }
    var number = matcher.group(1).toLowerCase(Locale.ROOT);
    if (number.contains("nan")) {
      return OptionalDouble.of(Double.NaN);
    }
    return OptionalDouble.of(
        number.contains("inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(number));
  }
}
