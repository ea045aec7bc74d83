package dev.rekindle.detect.progress;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * How much of a core it takes to follow the logs of a node: {@code LogBenchmark [MEBIBYTES]}. Each
 * kind of log is written piece by piece and read as an agent reads it, from a file in the folder
 * for temporary files; what is printed is the thread's own CPU time.
 */
public final class LogBenchmark {
  private static final int PIECE = 512 * 1024;
  private static final String STAMP = "2026-01-01T00:00:00.123456789Z stdout F ";

  /** A log that is repeated. */
  private record Kind(String name, List<String> lines) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(
              "NCCL_DEBUG=INFO, a step in 50 lines",
              repeated(
                  49,
                  "node-7:4711:4790 [3] NCCL INFO Channel 07/0 : 3[3] -> 12[4] [send] via"
                      + " NET/IBext_v8/3/GDRDMA",
                  "step 12 loss 2.302585092994046")),
          new Kind(
              "warnings and prose, a step in 50 lines",
              repeated(
                  49,
                  "2026-01-01 00:00:00,123 - WARNING - tokenizer: sequence of 5120 tokens is longer"
                      + " than the model takes (4096), cutting it off",
                  "step 12 loss 2.302585092994046")),
          new Kind(
              "Megatron-LM, a step in every line",
              List.of(
                  " [2026-01-01 00:00:00.000000] iteration      120/  500000 | consumed samples:   "
                      + "     61440 | elapsed time per iteration (ms): 812.3 | learning rate:"
                      + " 3.000000E-04 | global batch size:   512 | lm loss: 2.130000E+00 |")),
          new Kind(
              "NCCL_DEBUG=WARN, a peer that does not answer in every line",
              List.of(
                  "gpu-17:3314:4021 [4] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion"
                      + " from peer 10.216.210.236<54862> with status=12 opcode=0 len=0 vendor err"
                      + " 129 (Recv) localGid fe80::1 remoteGids fe80::2 hca mlx5_10")),
          new Kind("the same of 100 peers in turn", unanswered()),
          new Kind(
              "Hugging Face Trainer, bars in pieces of 16 KiB",
              List.of("\r 12%|█▏        | 120/1000 [00:32<03:55,  3.73it/s]".repeat(240))));

  private LogBenchmark() {}

  private static List<String> repeated(int times, String line, String last) {
    var lines = new java.util.ArrayList<>(java.util.Collections.nCopies(times, line));
    lines.add(last);
    return List.copyOf(lines);
  }

  /** More peers than lines are kept: each of them is new. */
  private static List<String> unanswered() {
    var lines = new java.util.ArrayList<String>();
    for (int peer = 0; peer < 100; peer++) {
      lines.add(
          "gpu-17:3314:4021 [4] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion"
              + " from peer 10.216.210.%d<54862> with status=12 opcode=0 len=0 vendor err"
                  .formatted(peer)
              + " 129 (Recv) localGid fe80::1 remoteGids fe80::2 hca mlx5_10");
    }
    return List.copyOf(lines);
  }

  /** Measures every kind. */
  public static void main(String[] args) throws IOException {
    int mebibytes = args.length > 0 ? Integer.parseInt(args[0]) : 256;
    var folder = Files.createTempDirectory("log-benchmark");
    System.out.println("| log | lines/s | MB/s | of a core at 10 MB/s |");
    System.out.println("|---|---|---|---|");
    for (var kind : KINDS) {
      measure(kind, 32, folder);
      System.out.println(measure(kind, mebibytes, folder));
    }
  }

  private static String measure(Kind kind, int mebibytes, Path folder) throws IOException {
    var file = folder.resolve("0.log");
    var text = new StringBuilder();
    long lines = 0;
    while (text.length() < PIECE) {
      for (var line : kind.lines()) {
        boolean bar = line.startsWith("\r");
        text.append(bar ? STAMP.replace(" F ", " P ") : STAMP).append(line).append('\n');
        lines++;
      }
    }
    byte[] piece = text.toString().getBytes(StandardCharsets.UTF_8);
    long rounds = (long) mebibytes * 1024 * 1024 / piece.length;
    var threads = java.lang.management.ManagementFactory.getThreadMXBean();
    long cpu = 0;
    try (var log = new PodProgress(folder, StepPattern.byDefault())) {
      Files.write(file, new byte[0]);
      log.poll();
      for (long i = 0; i < rounds; i++) {
        Files.write(file, piece, StandardOpenOption.TRUNCATE_EXISTING);
        long before = threads.getCurrentThreadCpuTime();
        log.poll();
        log.poll();
        cpu += threads.getCurrentThreadCpuTime() - before;
        Files.write(file, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
        log.poll();
      }
    }
    double seconds = cpu / 1e9;
    double bytes = (double) piece.length * rounds;
    return "| %s | %,d | %,.0f | %.1f %% |"
        .formatted(
            kind.name(),
            (long) (lines * rounds / seconds),
            bytes / 1e6 / seconds,
            100 * seconds * 10e6 / bytes);
  }
}
