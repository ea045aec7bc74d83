package dev.rekindle.simulator.replay;

import java.util.Arrays;
import java.util.Iterator;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What a row of a trace becomes in the simulator: the nearest lever. */
enum FaultKind {
  GPU_LOST("gpu-lost", "a GPU falls off the bus (XID 79)", true),
  ECC("ecc", "an uncontained memory error of a GPU (XID 95)", true),
  NIC_DOWN("nic-down", "a network port goes down", true),
  NODE_DEAD("node-dead", "the node goes silent", true),
  CRASH("crash", "a process ends with an error", false),
  HANG("hang", "a process stops and everything looks well", false),
  AWAY("taken-away", "an operator takes the node out", true);

  private final String word;
  private final String meaning;
  private final boolean takesNode;

  FaultKind(String word, String meaning, boolean takesNode) {
    this.word = word;
    this.meaning = meaning;
    this.takesNode = takesNode;
  }

  /** The word in tables and options. */
  String word() {
    return word;
  }

  String meaning() {
    return meaning;
  }

  /** Whether the node is out until its repair; else only a process is hit. */
  boolean takesNode() {
    return takesNode;
  }

  private static Stream<FaultKind> ofRows() {
    return Arrays.stream(values()).filter(kind -> kind != AWAY);
  }

  /** Reads a kind from the command line: any that a row of a trace may be. */
  static final class Converter implements ITypeConverter<FaultKind> {
    @Override
    public FaultKind convert(String word) {
      return ofRows()
          .filter(kind -> kind.word.equals(word))
          .findFirst()
          .orElseThrow(() -> new TypeConversionException("no such kind of fault: '" + word + "'"));
    }
  }

  /** The words, to complete. */
  static final class Words implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return ofRows().map(FaultKind::word).iterator();
    }
  }
}
