package dev.rekindle.detect.progress;

import java.util.Locale;

/** What the words beside a number say of it. */
final class LineWords {
  /** What is read before a number, in characters. */
  private static final int LOOKED_AT = 512;

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
      if (TrainingWords.NOT_NOW.contains(last)) {
        return Kind.NEITHER;
      }
      evaluation |= TrainingWords.EVALUATION.contains(last);
    }
    if (TrainingWords.NOT_THIS.contains(last)) {
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
      if (TrainingWords.EVALUATION.contains(word.get())) {
        return Kind.EVALUATION;
      }
      boolean trains = TrainingWords.TRAINING.contains(word.get());
      training |= trains;
      other |= !trains && word.get().length() > 1 && !TrainingWords.BESIDE.contains(word.get());
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
}
