package dev.rekindle.detect.judge;

import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Explains words of Recoveries and NodeFaults as {@code explain} does: codes of kernel logs by the
 * catalogues and rules that ship, all others by the entries of {@link Knowledge}.
 */
public final class CodeExplainer {
  private final XidCatalog xids = XidCatalog.load();
  private final SxidCatalog sxids = SxidCatalog.load();
  private final Judge judge = new Judge(Rules.shipped(), xids, sxids);
  private final Knowledge knowledge = Knowledge.shipped();

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

  /**
   * What a code of a NodeFault or a cause says; empty where neither a catalogue or rule nor an
   * entry knows it.
   */
  public Optional<CodeText> explain(String code) {
    return ofKernelLog(code)
        .or(() -> explain(Kind.FAULT, code))
        .or(() -> explain(Kind.CAUSE, code));
  }

  /** What a word of that kind says; empty where no entry has it. */
  public Optional<CodeText> explain(Kind kind, String word) {
    return knowledge
        .find(kind, word)
        .map(
            e -> new CodeText(word, e.meaning(), e.impact(), List.of(e.does()), List.of(e.toDo())));
  }

  private Optional<CodeText> ofKernelLog(String code) {
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
