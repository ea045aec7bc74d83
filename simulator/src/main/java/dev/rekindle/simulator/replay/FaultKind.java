package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.toMap;

import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What a row of a trace becomes in the simulator: the nearest fault that it can inject. */
enum FaultKind {
  GPU_LOST("gpu-lost", "a GPU falls off the bus (XID 79)", true),
  ECC("ecc", "an uncontained memory error of a GPU (XID 95)", true),
  NIC_DOWN("nic-down", "a network port goes down", true),
  NODE_DEAD("node-dead", "the node goes silent", true),
  CRASH("crash", "a process ends with an error", false),
  HANG("hang", "a process stops and everything looks well", false),
  AWAY("taken-away", "an operator takes the node out", true);

  private static final Pattern OPERATOR =
      Pattern.compile("change|test|stress test failure|maintenance|planned maintenance");
  private static final Pattern SILENT =
      words("silent data corruption|nccl|watchdog|hang|suspect machine");
  private static final Pattern GPU = words("gpu");
  private static final Pattern MEMORY = words("ecc|dbe|sbe|hbm|sram");
  private static final Pattern NETWORK =
      words("nic|rnic|network|cable|switch|optical|infiniband|roce");
  private static final Pattern HOST =
      words(
          "cpu|fan|motherboard|power|raid|riser|ssd|disk|memory|chassis|board|server|host|kernel"
              + "|file system|system crash|maintenance");
  private static final Pattern SOFTWARE = words("software|dependency|firmware|operating system");

  /** The word in tables and options. */
  final String word;

  final String meaning;

  /** Whether the node is out until its repair; else only a process is hit. */
  final boolean takesNode;

  FaultKind(String word, String meaning, boolean takesNode) {
    this.word = word;
    this.meaning = meaning;
    this.takesNode = takesNode;
  }

  /**
   * Which kind a row is, by its level, class and description. The words are those of the public
   * traces.
   *
   * @param unknown the kind of a row that no rule matches
   */
  static FaultKind of(Outage outage, FaultKind unknown) {
    String category = outage.category().toLowerCase(Locale.ROOT);
    String text = category + " " + outage.description().toLowerCase(Locale.ROOT);
    if (OPERATOR.matcher(category).matches()) {
      return AWAY;
    }
    if (SILENT.matcher(text).find()) {
      return HANG;
    }
    if (GPU.matcher(category).find()) {
      return MEMORY.matcher(text).find() ? ECC : GPU_LOST;
    }
    if (NETWORK.matcher(text).find()) {
      return NIC_DOWN;
    }
    if (HOST.matcher(text).find()) {
      return NODE_DEAD;
    }
    String classes = outage.level().toLowerCase(Locale.ROOT) + " " + category;
    return SOFTWARE.matcher(classes).find() ? CRASH : unknown;
  }

  /** Any of these words, as a word or at the beginning of one. */
  private static Pattern words(String alternatives) {
    return Pattern.compile("(?<![\\p{L}\\p{Nd}])(?:" + alternatives + ")");
  }

  /** On the command line: any kind that a row of a trace may be, by its word. */
  static final class OfRows implements ITypeConverter<FaultKind>, Iterable<String> {
    private static final Map<String, FaultKind> KINDS =
        EnumSet.complementOf(EnumSet.of(AWAY)).stream()
            .collect(toMap(kind -> kind.word, kind -> kind, (one, _) -> one, LinkedHashMap::new));

    @Override
    public FaultKind convert(String word) {
      FaultKind kind = KINDS.get(word);
      if (kind == null) {
        throw new TypeConversionException("no such kind of fault: '" + word + "'");
      }
      return kind;
    }

    @Override
    public Iterator<String> iterator() {
      return KINDS.keySet().iterator();
    }
  }
}
