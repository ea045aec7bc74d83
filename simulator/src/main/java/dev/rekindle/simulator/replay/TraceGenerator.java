package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.joining;

import dev.rekindle.detect.Csv;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Makes a trace of the Llama 3 mix: faults arrive at exponential distances, their rate scaled by
 * the number of GPUs, on nodes that are not out.
 *
 * <p>How long a node is out is not in the table. It is drawn from a log-normal distribution with
 * the median of the InfiniteHBD trace (20.4 h) and, nearly, its mean (133 h). A fault of a process
 * alone is over at once.
 */
final class TraceGenerator {
  /** The GPUs and the days that the counts of the table are of. */
  static final int GPUS = 16_384;

  static final int DAYS = 54;

  private static final double REPAIR_MEDIAN_HOURS = 20.4;
  private static final double REPAIR_SIGMA = 1.94;
  private static final double MAX_REPAIR_HOURS = 90 * 24.0;
  private static final Duration PROCESS_ONLY = Duration.ofMinutes(1);
  private static final String SOURCE = "generated from arXiv:2407.21783 Table 5";

  private final List<Outage> mix = mix();
  private final SplittableRandom random;

  private TraceGenerator(long seed) {
    random = new SplittableRandom(seed);
  }

  /**
   * The unexpected interruptions of the Llama 3 405B pre-training, without node and time: 419 in
   * {@link #DAYS} days on {@link #GPUS} H100, counts per component from Table 5 of
   * arXiv:2407.21783. The counts are used and not the percents, which disagree with them (148 of
   * 419 is 35.3 %, printed is 30.1 %). The descriptions are the table's, and so are the classes
   * where it names one; the levels are ours.
   */
  static List<Outage> mix() {
    List<Outage> all = new ArrayList<>();
    try (InputStream in = TraceGenerator.class.getResourceAsStream("llama3-mix.csv")) {
      byte[] file = Objects.requireNonNull(in, "the archive has no mix").readAllBytes();
      Csv csv = new Csv(new String(file, StandardCharsets.UTF_8));
      csv.next();
      for (Optional<Csv.Row> row = csv.next(); row.isPresent(); row = csv.next()) {
        List<String> f = row.get().fields();
        Outage one = new Outage("", Duration.ZERO, Duration.ZERO, f.get(0), f.get(1), f.get(2));
        all.addAll(Collections.nCopies(Integer.parseInt(f.get(3)), one));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  /**
   * Makes a trace.
   *
   * @param nodes nodes of the fleet
   * @param gpusPerNode GPUs of each
   * @param days its length
   * @param seed of all chance
   */
  static List<Outage> llama3(int nodes, int gpusPerNode, double days, long seed) {
    return new TraceGenerator(seed).outages(nodes, gpusPerNode, days);
  }

  private List<Outage> outages(int nodes, int gpusPerNode, double days) {
    double perDay = mix.size() * ((double) nodes * gpusPerNode) / ((double) GPUS * DAYS);
    Map<String, Double> outUntil = new HashMap<>();
    List<Outage> outages = new ArrayList<>();
    for (double day = wait(perDay); day < days; day += wait(perDay)) {
      Outage kind = mix.get(random.nextInt(mix.size()));
      String node = goodNode(nodes, day, outUntil);
      double end = Math.min(days, day + Durations.days(duration(kind)));
      outUntil.put(node, end);
      double start = day;
      outages.add(
          kind.with(o -> o.node(node).start(Durations.ofDays(start)).end(Durations.ofDays(end))));
    }
    return List.copyOf(outages);
  }

  private double wait(double perDay) {
    return -StrictMath.log(1 - random.nextDouble()) / perDay;
  }

  /** A node that is out cannot fail; where most are out, any will do. */
  private String goodNode(int nodes, double day, Map<String, Double> outUntil) {
    String node = "";
    for (int i = 0; i < 100; i++) {
      node = String.format(Locale.ROOT, "node-%05d", random.nextInt(nodes));
      if (outUntil.getOrDefault(node, 0.0) <= day) {
        break;
      }
    }
    return node;
  }

  private Duration duration(Outage outage) {
    if (!FaultKind.of(outage, FaultKind.NODE_DEAD).takesNode) {
      return PROCESS_ONLY;
    }
    double normal =
        StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
            * StrictMath.cos(2 * Math.PI * random.nextDouble());
    double hours = REPAIR_MEDIAN_HOURS * StrictMath.exp(REPAIR_SIGMA * normal);
    return Durations.ofDays(Math.min(hours, MAX_REPAIR_HOURS) / 24);
  }

  /** The trace as a file with the columns that {@link TraceReader} reads. */
  static String csv(List<Outage> outages) {
    StringBuilder csv =
        new StringBuilder("node,start_day,end_day,level,class,description,source\n");
    for (Outage o : outages) {
      List<String> fields =
          List.of(
              o.node(),
              Durations.rounded(Durations.days(o.start()), 4),
              Durations.rounded(Durations.days(o.end()), 4),
              o.level(),
              o.category(),
              o.description(),
              SOURCE);
      csv.append(fields.stream().map(Csv::escape).collect(joining(",", "", "\n")));
    }
    return csv.toString();
  }
}
