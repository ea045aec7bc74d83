package dev.rekindle.detect.judge;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.knowledge.Entry;
import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle explain}: what a code or a term of Rekindle means and what follows from it. */
@Command(
    name = "explain",
    description = {
      "What a code of a fault, a cause, the reason of a hold, a condition or an event, or an alert"
          + " means, what it does to jobs and nodes, what Rekindle does about it, and what to do."
    },
    footer = {
      "Examples:",
      "  rekindle explain xid 79            an XID of the GPU driver; also XID-79",
      "  rekindle explain sxid 20034        an SXid of the NVSwitch driver",
      "  rekindle explain nic health-lost   a message of the mlx5 driver",
      "  rekindle explain segfault libnccl",
      "  rekindle explain NoCapacity        why a recovery is held; also events, causes, alerts",
      "  rekindle explain NVML-GPU-LOST     a fault that is not read off a kernel log",
      "  rekindle explain holds             lists: faults, causes, holds, conditions, events,"
          + " alerts"
    })
public final class ExplainMain implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "WORD",
      description = {
        "A code or reason as objects, events and alerts have it, one of the lists, or what reports"
            + " in a kernel log: xid, sxid, nic, segfault, ..."
      })
  private String sourceWord = "";

  @Parameters(
      index = "1..*",
      paramLabel = "CODE",
      description = "Also several, separated by commas; without any, all of the source are listed.")
  private List<String> codeWords = new ArrayList<>();

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Rules that come before the built-in ones; see docs/operations/kernel-log-rules.md.")
  private @Nullable Path rulesFile;

  @Option(names = "--json", description = "One JSON object for each code.")
  private boolean json;

  private final PrintStream out;

  /** Writes to {@code out}. */
  public ExplainMain(PrintStream out) {
    this.out = out;
  }

  /** Explains and ends the process. */
  public static void main(String[] args) {
    CommandTree.main(new ExplainMain(CommandTree.standardOutput()), args);
  }

  @Override
  public Integer call() throws UsageException {
    var write = new ExplanationWriter(out, json);
    if (codeWords.isEmpty() && explainedAsOurs(write)) {
      out.flush();
      return 0;
    }
    List<String> words = new ArrayList<>(ofKernelLog(sourceWord));
    words.addAll(codeWords);
    var source =
        source(words.getFirst())
            .orElseThrow(
                () ->
                    new UsageException(
                        "'%s' is no code, cause, reason, event or alert, and none of nic, %s, %s"
                            .formatted(words.getFirst(), Source.words(), lists())));
    var xids = XidCatalog.load();
    var sxids = SxidCatalog.load();
    var judge = new Judge(JudgeMain.rules(rulesFile), xids, sxids);
    var codes = codes(words.subList(1, words.size()));
    for (var code : codes.isEmpty() ? CodeList.of(judge, xids, sxids, source) : codes) {
      if (!isCode(source, code)) {
        throw new UsageException("'" + code + "' is no code of " + source.word());
      }
      var explanation = Explanation.of(judge, xids, sxids, source, code);
      if (json || !codes.isEmpty()) {
        write.write(explanation);
      } else {
        write.row(explanation.name(), explanation.meaning());
      }
    }
    out.flush();
    return 0;
  }

  /** Whether it is a term of Rekindle, or the name of a list of them. */
  private boolean explainedAsOurs(ExplanationWriter write) {
    var knowledge = Knowledge.shipped();
    var list = Kind.of(sourceWord.toLowerCase(Locale.ROOT));
    List<Entry> entries = list.map(knowledge::of).orElseGet(() -> knowledge.find(sourceWord));
    for (var entry : entries) {
      if (list.isPresent() && !json) {
        write.row(entry.code(), entry.meaning());
      } else {
        write.write(entry);
      }
    }
    return !entries.isEmpty();
  }

  private static String lists() {
    return Stream.of(Kind.values()).map(Kind::section).collect(Collectors.joining(", "));
  }

  /** Source and code, where a NodeFault has them in one word: {@code XID-79}. */
  private static List<String> ofKernelLog(String word) {
    int dash = word.indexOf('-');
    return dash > 0 && source(word.substring(0, dash)).isPresent()
        ? List.of(word.substring(0, dash), word.substring(dash + 1).toLowerCase(Locale.ROOT))
        : List.of(word);
  }

  private static List<String> codes(List<String> words) {
    List<String> codes = new ArrayList<>();
    for (var word : words) {
      for (var code : word.split(",", -1)) {
        if (!code.isEmpty()) {
          codes.add(code.matches("0+\\d{1,8}") ? String.valueOf(Integer.parseInt(code)) : code);
        }
      }
    }
    return codes;
  }

  private static Optional<Source> source(String word) {
    return word.equals("nic") ? Optional.of(Source.MLX5) : Source.of(word.toLowerCase(Locale.ROOT));
  }

  private static boolean isCode(Source source, String code) {
    return (source == Source.XID || source == Source.SXID)
        ? code.matches("\\d{1,9}")
        : code.matches("[a-z][-a-z0-9]{0,40}");
  }
}
