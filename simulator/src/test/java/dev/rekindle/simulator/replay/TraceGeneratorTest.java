package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.cli.UsageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TraceGeneratorTest {
  private static final int NODES = 2048;

  @Test
  void shouldHoldTheTableOfThePaper() {
    assertThat(TraceGenerator.mix()).hasSize(419);
    assertThat(TraceGenerator.mix()).filteredOn(row -> row.category().equals("GPU")).hasSize(268);
  }

  @Test
  void shouldKeepTheRateAndScaleItByGpus() {
    // A hundred times 54 days: the standard error of the mean is two faults.
    assertThat(mean(NODES)).isCloseTo(419, within(8.0));
    assertThat(mean(NODES / 8)).isCloseTo(419 / 8.0, within(3.0));
  }

  private static double mean(int nodes) {
    long all = 0;
    for (int seed = 0; seed < 100; seed++) {
      all += TraceGenerator.llama3(nodes, 8, 54, seed).size();
    }
    return all / 100.0;
  }

  @Test
  void shouldKeepTheMix() {
    Map<String, Integer> counts = new HashMap<>();
    int all = 0;
    for (int seed = 0; seed < 100; seed++) {
      for (Outage outage : TraceGenerator.llama3(NODES, 8, 54, seed)) {
        counts.merge(outage.description(), 1, Integer::sum);
        all++;
      }
    }
    Map<String, Long> table =
        TraceGenerator.mix().stream().collect(groupingBy(Outage::description, counting()));
    for (Map.Entry<String, Long> row : table.entrySet()) {
      double share = row.getValue() / 419.0;
      double fourErrors = 4 * Math.sqrt(share * (1 - share) / all);
      assertThat((double) counts.getOrDefault(row.getKey(), 0) / all)
          .as(row.getKey())
          .isCloseTo(share, within(fourErrors));
    }
  }

  @Test
  void shouldArriveAtExponentialDistances() {
    List<Double> gaps = new ArrayList<>();
    double last = 0;
    for (Outage outage : TraceGenerator.llama3(NODES, 8, 540, 7)) {
      double day = Durations.days(outage.start());
      gaps.add(day - last);
      last = day;
    }
    double mean = gaps.stream().mapToDouble(g -> g).average().orElseThrow();
    double beyond = gaps.stream().filter(g -> g > mean).count() / (double) gaps.size();
    double variance =
        gaps.stream().mapToDouble(g -> (g - mean) * (g - mean)).average().orElseThrow();
    assertThat(mean).isCloseTo(54 / 419.0, within(0.008));
    assertThat(beyond).isCloseTo(Math.exp(-1), within(0.03));
    assertThat(Math.sqrt(variance) / mean).isCloseTo(1, within(0.06));
  }

  @Test
  void shouldRepairAsLongAsNodesOfTheInfiniteHbdTraceWereOut() {
    List<Double> hours =
        TraceGenerator.llama3(NODES, 8, 3000, 1).stream()
            .filter(o -> FaultKind.of(o, FaultKind.NODE_DEAD).takesNode)
            .map(o -> Durations.days(o.end().minus(o.start())) * 24)
            .sorted()
            .toList();
    assertThat(hours.get(hours.size() / 2)).isCloseTo(20.4, within(1.0));
    assertThat(hours.stream().mapToDouble(h -> h).average().orElseThrow())
        .isCloseTo(120, within(20.0));
  }

  @Test
  void shouldNotFailANodeThatIsOut() {
    List<Outage> outages = TraceGenerator.llama3(NODES, 8, 540, 2);
    assertThat(Trace.of(outages, 0, List.of()).joined()).isZero();
    assertThat(outages).allMatch(o -> o.end().compareTo(Duration.ofDays(540)) <= 0);
  }

  @Test
  void shouldMakeTheSameBytesOfTheSameSeed() throws UsageException {
    String one = TraceGenerator.csv(TraceGenerator.llama3(NODES, 8, 54, 42));
    assertThat(TraceGenerator.csv(TraceGenerator.llama3(NODES, 8, 54, 42))).isEqualTo(one);
    assertThat(TraceGenerator.csv(TraceGenerator.llama3(NODES, 8, 54, 43))).isNotEqualTo(one);
    assertThat(one).startsWith("node,start_day,end_day,level,class,description,source\n");
    Trace back = TraceReader.parse(one, "generated", TraceReader.MAX_ROWS);
    assertThat(back.bad()).isZero();
    assertThat(back.rows()).isEqualTo(TraceGenerator.llama3(NODES, 8, 54, 42).size());
  }
}
