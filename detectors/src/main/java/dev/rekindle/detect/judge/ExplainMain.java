package dev.rekindle.detect.judge;

import com.fasterxml.jackson.core.JsonFactory;
import dev.rekindle.cli.CommandTree;
import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle explain}: what a code means and what follows from it. */
@Command(
    name = "explain",
    description = {
      "What codes mean, what they do to the work on the node, what Rekindle does about them, and"
          + " what to do."
    },
    footer = {
      "Examples:",
      "  rekindle explain xid 79            an XID of the GPU driver; also XID-79",
      "  rekindle explain sxid 20034        an SXid of the NVSwitch driver",
      "  rekindle explain nic health-lost   a message of the mlx5 driver",
      "  rekindle explain segfault libnccl"
    })
public final class ExplainMain implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "SOURCE", description = "xid, sxid, nic, segfault, ...")
  private String sourceWord = "";

  @Parameters(
      index = "1..*",
      paramLabel = "CODE",
      description = "Also several, separated by commas; without any, all of the source are listed.")
  private List<String> codeWords = new ArrayList<>();

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description = "Rules to lay over those that ship; see docs/operations.md.")
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
    List<String> words = new ArrayList<>();
    // As a NodeFault writes it: XID-79.
    words.addAll(
        sourceWord.matches("(?i)s?xid-\\d+")
            ? List.of(sourceWord.split("-", 2))
            : List.of(sourceWord));
    words.addAll(codeWords);
    var source =
        source(words.getFirst())
            .orElseThrow(
                () ->
                    new UsageException(
                        "'" + words.getFirst() + "' is none of nic, " + Source.words()));
    var xids = XidCatalog.load();
    var sxids = SxidCatalog.load();
    var judge = new Judge(JudgeMain.rules(rulesFile), xids, sxids);
    var codes = codes(words.subList(1, words.size()));
    for (var code : codes.isEmpty() ? CodeList.of(judge, xids, sxids, source) : codes) {
      if (!isCode(source, code)) {
        throw new UsageException("'" + code + "' is no code of " + source.word());
      }
      var explanation = Explanation.of(judge, xids, sxids, source, code);
      if (json) {
        out.println(json(explanation));
      } else if (codes.isEmpty()) {
        out.printf("%-22s %s%n", explanation.name(), explanation.meaning());
      } else {
        text(explanation);
      }
    }
    out.flush();
    return 0;
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

  private void text(Explanation code) {
    out.println(code.name() + ": " + code.meaning());
    line("driver's name", code.driverName());
    line("impact", code.impact());
    for (int i = 0; i < code.does().size(); i++) {
      line(i == 0 ? "Rekindle" : "", code.does().get(i));
    }
    var first = true;
    for (var action : code.actions()) {
      line(first ? "to do" : "", action + ": " + Explanation.toDo(action));
      first = false;
    }
    line("note", code.note());
    if (!code.known()) {
      line("note", "no catalogue or rule knows it; it is never ignored and never fences on sight");
    }
    out.println();
  }

  private void line(String title, String text) {
    if (!text.isEmpty()) {
      out.printf("  %-14s %s%n", title, text);
    }
  }

  private static String json(Explanation code) {
    var text = new StringWriter();
    try (var json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("name", code.name());
      json.writeStringField("meaning", code.meaning());
      json.writeStringField("driverName", code.driverName());
      json.writeStringField("impact", code.impact());
      json.writeArrayFieldStart("rekindle");
      for (var does : code.does()) {
        json.writeString(does);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("toDo");
      for (var action : code.actions()) {
        json.writeString(action + ": " + Explanation.toDo(action));
      }
      json.writeEndArray();
      json.writeStringField("note", code.note());
      json.writeBooleanField("known", code.known());
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
