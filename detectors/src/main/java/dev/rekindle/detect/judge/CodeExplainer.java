package dev.rekindle.detect.judge;

import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Explains codes of NodeFaults by the catalogues and rules that ship, as {@code explain} does. */
public final class CodeExplainer {
  private final XidCatalog xids = XidCatalog.load();
  private final SxidCatalog sxids = SxidCatalog.load();
  private final Judge judge = new Judge(Rules.shipped(), xids, sxids);

  /**
   * A code in words.
   *
   * @param code as a NodeFault writes it, {@code XID-79}
   * @param meaning what it means, a clause
   * @param impact what it does to the work on the node
   * @param does what Rekindle does, a sentence for each case
   * @param toDo what it asks of a person, one clause for each possible repair
   */
  public record CodeText(
      String code, String meaning, String impact, List<String> does, List<String> toDo) {
    public CodeText {
      does = List.copyOf(does);
      toDo = List.copyOf(toDo);
    }
  }

  /** The words of a code; empty where it is of no kernel log or no catalogue or rule knows it. */
  public Optional<CodeText> explain(String code) {
    int dash = code.indexOf('-');
    if (dash < 0) {
      return Optional.empty();
    }
    String word = code.substring(dash + 1).toLowerCase(Locale.ROOT);
    return Source.of(code.substring(0, dash).toLowerCase(Locale.ROOT))
        .map(source -> Explanation.of(judge, xids, sxids, source, word))
        .filter(Explanation::known)
        .map(
            e ->
                new CodeText(
                    code,
                    e.meaning(),
                    e.impact(),
                    e.does(),
                    e.actions().stream().map(Explanation::toDo).distinct().toList()));
  }

  /** What an action of a NodeFault asks of a person, in words. */
  public static String toDo(String action) {
    return Explanation.toDo(action);
  }
}
