package dev.rekindle.controller.kubernetes.convert;

import java.util.regex.Pattern;

/**
 * The name of a Secret that an inspector may mount. Names alone say so: an admission policy sees no
 * other object than the one that is written, and who names a Secret like this means it for
 * Rekindle. The chart's policy on inspectors allows the same names.
 */
public final class StoreSecret {
  /** What it is called where the job names none. */
  public static final String DEFAULT = "rekindle-checkpoints";

  private static final Pattern NAME =
      Pattern.compile(DEFAULT + "(?:-[a-z0-9](?:[-a-z0-9.]{0,200}[a-z0-9])?)?");

  private StoreSecret() {}

  /** Why a Secret of that name is not mounted, a clause; empty where it is. */
  static String problemOf(String name) {
    return NAME.matcher(name).matches()
        ? ""
        : "is neither " + DEFAULT + " nor " + DEFAULT + "-NAME: no other Secret is mounted";
  }
}
