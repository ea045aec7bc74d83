package dev.rekindle.detect.weigh;

import static dev.rekindle.detect.weigh.Logged.fault;
import static dev.rekindle.detect.weigh.Logged.pod;
import static dev.rekindle.detect.weigh.Logged.process;
import static dev.rekindle.detect.weigh.WeigherTest.TPC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.fault.AffectedPod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Random crashes of programs. */
class WeigherPropertyTest extends WeigherFixture {

  // ---- Properties -------------------------------------------------------------------------------

  /** Whatever a program does, with new jobs, pods and processes each time, wherever it runs. */
  @Test
  void shouldNeverFenceForOneProgram() {
    var random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    for (int round = 0; round < 3_000; round++) {
      var faults = crashes(random, List.of("loops"), 1 + random.nextInt(60));
      for (var fault : faults) {
        assertThat(weigh(fault, others(faults, fault)).fences()).as("%s", faults).isFalse();
      }
    }
  }

  /** Whichever programs there are: a fence names two owners that met it there and nowhere else. */
  @Test
  void shouldFenceForProgramsOfTwoOwnersThatMetItNowhereElse() {
    var random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    var fences = 0;
    for (int round = 0; round < 3_000; round++) {
      var faults = crashes(random, List.of("a", "b", "c"), 1 + random.nextInt(8));
      for (var fault : faults) {
        if (weigh(fault, others(faults, fault)).fences()) {
          fences++;
          var alone =
              fault.incidents().stream()
                  .map(Incident::owner)
                  .filter(
                      owner ->
                          !owner.isEmpty()
                              && faults.stream()
                                  .filter(f -> f != fault && f.code().equals(fault.code()))
                                  .flatMap(f -> f.incidents().stream())
                                  .noneMatch(i -> i.owner().equals(owner)))
                  .distinct()
                  .count();
          assertThat(alone).as("%s", faults).isGreaterThanOrEqualTo(2);
        }
      }
    }
    assertThat(fences).isGreaterThan(50);
  }

  private static List<Logged> crashes(RandomGenerator random, List<String> owners, int times) {
    var codes = List.of("XID-13", "XID-31", "XID-32", "XID-69", "XID-109", "XID-39");
    Map<String, Logged> faults = new HashMap<>();
    var minutes = 0;
    for (int i = 0; i < times; i++) {
      minutes += random.nextInt(60);
      var node = "n-" + random.nextInt(3);
      var gpu = "0000:%02x:00".formatted(random.nextInt(3));
      var code = codes.get(random.nextInt(codes.size()));
      var owner = owners.get(random.nextInt(owners.size()));
      var victim =
          switch (random.nextInt(6)) {
            case 0 -> AffectedPod.UNKNOWN;
            case 1 -> process("python");
            case 2 -> new AffectedPod("team", owner + "-0", owner + "-uid-" + random.nextInt(3));
            default -> pod("team", owner, owner + "-" + random.nextInt(4));
          };
      faults
          .computeIfAbsent(node + gpu + code, _ -> fault(node, gpu, code))
          .hit(minutes, victim, random.nextInt(4) == 0 ? "" : TPC);
    }
    return List.copyOf(faults.values());
  }
}
