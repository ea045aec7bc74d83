package dev.rekindle.simulator.drill;

import java.io.Console;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What standard output is connected to.
 *
 * @param present whether it is a terminal
 * @param colours whether it shows colours, and its user wants them
 */
public record Terminal(boolean present, boolean colours) {
  /** A file or a pipe. */
  public static final Terminal NONE = new Terminal(false, false);

  /**
   * Colours and cursor. The launcher says by a property whether standard output is a terminal: a
   * Console is only one when standard input is, too.
   */
  public static Terminal detect() {
    String property = System.getProperty("rekindle.terminal");
    return of(property == null ? hasConsole() : Boolean.parseBoolean(property), System::getenv);
  }

  static Terminal of(boolean present, UnaryOperator<@Nullable String> environment) {
    String term = environment.apply("TERM");
    String noColour = environment.apply("NO_COLOR");
    boolean colours =
        present && term != null && !term.equals("dumb") && (noColour == null || noColour.isEmpty());
    return new Terminal(present, colours);
  }

  private static boolean hasConsole() {
    // Whether there is a Console without a terminal differs between versions of the JDK.
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }
}
