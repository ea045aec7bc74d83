package dev.rekindle.simulator.replay;

import dev.rekindle.detect.Csv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
  static final double REPAIR_MEDIAN_HOURS = 20.4;
  static final double REPAIR_SIGMA = 1.94;

  private static final double MAX_REPAIR_HOURS = 90 * 24.0;
  private static final Duration PROCESS_ONLY = Duration.ofMinutes(1);
  private static final String SOURCE = "generated from arXiv:2407.21783 Table 5";

  private final List<LlamaMix> mix = LlamaMix.rows();
  private final int total = mix.stream().mapToInt(LlamaMix::count).sum();
  private final SplittableRandom random;

  private TraceGenerator(long seed) {
    random = new SplittableRandom(seed);
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
    double perDay =
        total * ((double) nodes * gpusPerNode) / ((double) LlamaMix.GPUS * LlamaMix.DAYS);
    Map<String, Double> outUntil = new HashMap<>();
    List<Outage> outages = new ArrayList<>();
    for (double day = wait(perDay); day < days; day += wait(perDay)) {
      LlamaMix row = draw();
      String node = goodNode(nodes, day, outUntil);
      Outage outage =
          new Outage(
              node,
              Outage.days(day),
              Outage.days(day),
              row.level(),
              row.category(),
              row.description());
      double end = Math.min(days, day + Outage.days(duration(outage)));
      outUntil.put(node, end);
      outages.add(
          new Outage(
              node,
              outage.start(),
              Outage.days(end),
              row.level(),
              row.category(),
              row.description()));
    }
    return List.copyOf(outages);
  }

  private double wait(double perDay) {
    return -StrictMath.log(1 - random.nextDouble()) / perDay;
  }

  private LlamaMix draw() {
    int at = random.nextInt(total);
    for (LlamaMix row : mix) {
      at -= row.count();
      if (at < 0) {
        return row;
      }
    }
    throw new IllegalStateException("the counts do not add up");
  }

  /** A node that is out cannot fail; where most are out, any will do. */
  private String goodNode(int nodes, double day, Map<String, Double> outUntil) {
    String node = "";
    for (int i = 0; i < 100; i++) {
      node = name(random.nextInt(nodes));
      if (outUntil.getOrDefault(node, 0.0) <= day) {
        break;
      }
    }
    return node;
  }

  private Duration duration(Outage outage) {
    if (!FaultKinds.of(outage, FaultKind.NODE_DEAD).takesNode()) {
      return PROCESS_ONLY;
    }
    double normal =
        StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
            * StrictMath.cos(2 * Math.PI * random.nextDouble());
    double hours = REPAIR_MEDIAN_HOURS * StrictMath.exp(REPAIR_SIGMA * normal);
    return Outage.days(Math.min(hours, MAX_REPAIR_HOURS) / 24);
  }

  static String name(int node) {
    return String.format(Locale.ROOT, "node-%05d", node);
  }

  /** The trace as a file with the columns that {@link TraceReader} reads. */
  static String csv(List<Outage> outages) {
    StringBuilder csv =
        new StringBuilder("node,start_day,end_day,level,class,description,source\n");
    for (Outage o : outages) {
      csv.append(
          String.format(
              Locale.ROOT,
              "%s,%.4f,%.4f,%s,%s,%s,%s\n",
              o.node(),
              Outage.days(o.start()),
              Outage.days(o.end()),
              Csv.escape(o.level()),
              Csv.escape(o.category()),
              Csv.escape(o.description()),
              SOURCE));
    }
    return csv.toString();
  }
}
