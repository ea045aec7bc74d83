package dev.rekindle.page;

import dev.rekindle.api.RecoveryPhase;
import org.jspecify.annotations.Nullable;

/** How a recovery stands, for the eye; the word beside it says the same. */
public enum Tone {
  GOOD("good", "✓"),
  BAD("bad", "✕"),
  WAITING("waiting", "‖"),
  UNDER_WAY("underway", "›"),
  OVER("over", "–");

  private final String style;
  private final String sign;

  Tone(String style, String sign) {
    this.style = style;
    this.sign = sign;
  }

  String style() {
    return style;
  }

  String sign() {
    return sign;
  }

  static Tone of(@Nullable RecoveryPhase phase) {
    return switch (phase) {
      case null -> UNDER_WAY;
      case RECOVERED -> GOOD;
      case FAILED -> BAD;
      case HELD -> WAITING;
      case CANCELLED -> OVER;
      case DETECTED, FENCING, DRAINING, PLANNING, RESUMING, VERIFYING -> UNDER_WAY;
    };
  }
}
