package dev.rekindle.detect.judge;

import com.fasterxml.jackson.core.JsonFactory;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code rekindle explain}: what a code means and what follows from it. */
public final class ExplainMain {
  private static final String USAGE =
      """
      Usage: rekindle explain SOURCE [CODE...] [--rules FILE] [--json]

      What codes mean, what they do to the work on the node, what Rekindle does about them, and what to do.
      Codes may be separated by commas; without any, all of the source are listed.

        rekindle explain xid 79        an XID of the GPU driver; also XID-79
        rekindle explain sxid 20034    an SXid of the NVSwitch driver
        rekindle explain nic health-lost
                                       a message of the mlx5 driver
        rekindle explain segfault libnccl
      """;

  private ExplainMain() {}

  /** Explains and ends the process. */
  public static void main(String[] args) {
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    var code = run(List.of(args), out, System.err);
    out.flush();
    System.exit(code);
  }

  /** Explains; returns the exit code. */
  static int run(List<String> args, PrintStream out, PrintStream err) {
    var json = false;
    @Nullable Path rulesFile = null;
    List<String> words = new ArrayList<>();
    var rest = new ArrayList<>(args);
    while (!rest.isEmpty()) {
      var word = rest.removeFirst();
      switch (word) {
        case "--help", "-h" -> {
          out.print(USAGE);
          return 0;
        }
        case "--json" -> json = true;
        case "--rules" -> {
          if (rest.isEmpty()) {
            return wrong(err, "--rules needs a file");
          }
          rulesFile = Path.of(rest.removeFirst());
        }
        default -> {
          if (word.startsWith("-")) {
            return wrong(err, "unknown option '" + word + "'");
          }
          // As a NodeFault writes it: XID-79.
          words.addAll(
              word.matches("(?i)s?xid-\\d+") ? List.of(word.split("-", 2)) : List.of(word));
        }
      }
    }
    if (words.isEmpty()) {
      return wrong(err, "no SOURCE given");
    }
    var source = source(words.getFirst());
    if (source.isEmpty()) {
      return wrong(err, "'" + words.getFirst() + "' is none of nic, " + Source.words());
    }
    Judge judge;
    var xids = XidCatalog.load();
    var sxids = SxidCatalog.load();
    try {
      judge = new Judge(JudgeMain.rules(rulesFile), xids, sxids);
    } catch (IOException | IllegalArgumentException e) {
      err.println(
          "rekindle explain: "
              + (e instanceof IOException ? "the rules cannot be read: " + e : e.getMessage()));
      return 2;
    }
    var codes = codes(words.subList(1, words.size()));
    var listed = codes.isEmpty() ? CodeList.of(judge, xids, sxids, source.get()) : codes;
    for (var code : listed) {
      if (!isCode(source.get(), code)) {
        return wrong(err, "'" + code + "' is no code of " + source.get().word());
      }
      var explanation = Explanation.of(judge, xids, sxids, source.get(), code);
      if (json) {
        out.println(json(explanation));
      } else if (codes.isEmpty()) {
        out.printf("%-22s %s%n", explanation.name(), explanation.meaning());
      } else {
        text(out, explanation);
      }
    }
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

  private static int wrong(PrintStream err, String what) {
    err.println("rekindle explain: " + what);
    err.print(USAGE);
    return 2;
  }

  private static void text(PrintStream out, Explanation code) {
    out.println(code.name() + ": " + code.meaning());
    line(out, "driver's name", code.driverName());
    line(out, "impact", code.impact());
    for (int i = 0; i < code.does().size(); i++) {
      line(out, i == 0 ? "Rekindle" : "", code.does().get(i));
    }
    var first = true;
    for (var action : code.actions()) {
      line(out, first ? "to do" : "", action + ": " + Explanation.toDo(action));
      first = false;
    }
    line(out, "note", code.note());
    if (!code.known()) {
      line(
          out,
          "note",
          "no catalogue or rule knows it; it is never ignored and never fences on sight");
    }
    out.println();
  }

  private static void line(PrintStream out, String title, String text) {
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
