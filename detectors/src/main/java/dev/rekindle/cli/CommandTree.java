package dev.rekindle.cli;

import dev.rekindle.detect.ShortDuration;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * {@code rekindle} with some of its commands. Each is an object with picocli's annotations that
 * throws a {@link UsageException} where it cannot do what it is asked.
 *
 * <p>All have {@code --help} and {@code --version}. Exit code 2 says that the command line, or what
 * it names, cannot be used; standard error then says why in one line.
 */
public final class CommandTree {
  /** The exit code for a command line that cannot be used. */
  public static final int USAGE = 2;

  /** The exit code where the cluster refuses, or what is named is not there. */
  public static final int REFUSED = 1;

  private static final int NARROWEST = 60;
  private static final int WIDEST = 120;
  private static final int LONGEST_OPTION = 28;

  private final CommandLine root;

  private CommandTree(CommandLine root) {
    this.root = root;
  }

  /**
   * The commands, each by the name of its annotation.
   *
   * @param commands annotated objects, or {@link CommandSpec}s
   */
  public static CommandTree of(List<?> commands) {
    var root = new CommandLine(CommandSpec.create().name("rekindle"));
    commands.forEach(root::addSubcommand);
    standardOptions(root);
    root.getSubcommands().values().forEach(CommandTree::standardOptions);
    return new CommandTree(
        root.registerConverter(int.class, CommandTree::number)
            .registerConverter(Integer.class, CommandTree::number)
            .registerConverter(long.class, CommandTree::longNumber)
            .registerConverter(Double.class, CommandTree::fraction)
            .registerConverter(Duration.class, CommandTree::duration)
            .registerConverter(Path.class, CommandTree::path)
            // A file's name may begin with @.
            .setExpandAtFiles(false)
            // The last one counts, so that a script's options can be overruled.
            .setOverwrittenOptionsAllowed(true)
            .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
            .setUsageHelpLongOptionsMaxWidth(LONGEST_OPTION)
            .setExecutionStrategy(CommandTree::execute)
            .setParameterExceptionHandler((wrong, _) -> refuse(wrong.getCommandLine(), why(wrong)))
            .setExecutionExceptionHandler(
                (failure, command, _) -> {
                  if (failure instanceof UsageException refusal) {
                    return refuse(command, String.valueOf(refusal.getMessage()));
                  }
                  if (failure instanceof RefusedException refused) {
                    say(command, String.valueOf(refused.getMessage()));
                    return REFUSED;
                  }
                  throw failure;
                }));
  }

  /**
   * Runs one command.
   *
   * @param command as {@link #of} takes it
   * @param args what follows its name
   * @return the exit code
   */
  public static int run(Object command, List<String> args, PrintStream out, PrintStream err) {
    var tree = of(List.of(command));
    List<String> words = new ArrayList<>(tree.root.getSubcommands().keySet());
    words.addAll(args);
    return tree.run(words, out, err);
  }

  /** Runs one command on the process' streams, and ends the process. */
  public static void main(Object command, String[] args) {
    System.exit(run(command, List.of(args), standardOutput(), System.err));
  }

  /** The process' standard output: UTF-8 whatever the locale is, each line at once. */
  public static PrintStream standardOutput() {
    return new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
  }

  /** Runs the command that the arguments name; returns the exit code. */
  public int run(List<String> args, PrintStream out, PrintStream err) {
    return root.setOut(new PrintWriter(out, true, out.charset()))
        .setErr(new PrintWriter(err, true, err.charset()))
        .execute(args.toArray(String[]::new));
  }

  /** A script by which bash, and zsh with bashcompinit, completes commands and options. */
  public String completion() {
    return AutoComplete.bash(root.getCommandName(), root);
  }

  /** What {@code --help} prints of each command, as sections of a page in Markdown. */
  public String reference() {
    return CommandReference.of(root);
  }

  private static void standardOptions(CommandLine command) {
    var help =
        command
            .getCommandSpec()
            .mixinStandardHelpOptions(true)
            .versionProvider(() -> new String[] {"rekindle " + version()})
            .usageMessage()
            .abbreviateSynopsis(true)
            .sortOptions(false)
            .parameterListHeading("%n")
            .optionListHeading("%nOptions:%n")
            .commandListHeading("%nCommands:%n")
            .exitCodeListHeading("%nExit codes:%n")
            .footerHeading("%n");
    if (help.exitCodeList().isEmpty()) {
      help.exitCodeList(new TreeMap<>(Map.of("0", "done", "2", "wrong usage")));
    }
  }

  /** That of the archive; there is none where classes are in a folder. */
  private static String version() {
    return version(CommandTree.class.getPackage().getImplementationVersion());
  }

  static String version(@Nullable String ofTheArchive) {
    return Objects.requireNonNullElse(ofTheArchive, "from sources");
  }

  private static int execute(ParseResult parsed) {
    for (var command : parsed.asCommandLineList()) {
      if (command.isUsageHelpRequested()) {
        command.setUsageHelpWidth(width(new UsageMessageSpec().autoWidth(true).width()));
      }
    }
    return new RunLast().execute(parsed);
  }

  static int width(int ofTerminal) {
    return Math.clamp(ofTerminal, NARROWEST, WIDEST);
  }

  private static int refuse(CommandLine command, String why) {
    say(command, why);
    command.getErr().println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
    return USAGE;
  }

  private static void say(CommandLine command, String why) {
    var name = command.getCommandSpec().qualifiedName();
    command.getErr().println(name + ": " + TextTable.printable(why));
  }

  private static String why(ParameterException wrong) {
    if (wrong instanceof UnmatchedArgumentException unmatched) {
      var what = unmatched.isUnknownOption() ? "unknown option '" : "unexpected argument '";
      var suggestions = unmatched.getSuggestions();
      return what
          + unmatched.getUnmatched().getFirst()
          + "'"
          + (suggestions.isEmpty() ? "" : "; did you mean " + suggestions.getFirst() + "?");
    }
    var message = String.valueOf(wrong.getMessage());
    return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is not a whole number");
    }
  }

  private static long longNumber(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is not a whole number");
    }
  }

  private static double fraction(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is not a number");
    }
  }

  private static Duration duration(String text) {
    try {
      return ShortDuration.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new TypeConversionException("'" + text + "' is not a path");
    }
  }
}
