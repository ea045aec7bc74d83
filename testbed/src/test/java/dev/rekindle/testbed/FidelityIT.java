package dev.rekindle.testbed;

import dev.rekindle.testbed.fidelity.Fidelity;
import dev.rekindle.testbed.fidelity.Machines;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;

/**
 * Whether the cluster in memory does what this one does. What is seen is written to {@code
 * target/e2e/fidelity}; {@code -Dfidelity.record=true} writes it to {@code
 * src/test/resources/fidelity}, which every build compares the model with; {@code
 * -Dfidelity.only=NAME,NAME -Dfidelity.times=20} plays some again and again.
 */
@Order(11)
@OnTestbed
class FidelityIT {
  private static final Path RECORDED = Testbed.ROOT.resolve("testbed/src/test/resources/fidelity");

  @TestFactory
  @OnAllNodes
  Stream<DynamicTest> shouldSeeInMemoryWhatIsSeenOnARealCluster(Scene scene) {
    Path folder =
        Boolean.getBoolean("fidelity.record") ? RECORDED : Testbed.OUT.resolve("fidelity");
    String only = System.getProperty("fidelity.only", "");
    Fidelity fidelity =
        only.isEmpty()
            ? new Fidelity(scene.client(), machines(scene))
            : new Fidelity(
                scene.client(),
                machines(scene),
                Set.of(only.split(",")),
                Integer.getInteger("fidelity.times", 1));
    scene.onCleanUp(fidelity::close);
    return fidelity.scenarios().stream()
        .map(name -> DynamicTest.dynamicTest(name, () -> fidelity.check(name, folder)));
  }

  private static Machines machines(Scene scene) {
    return new Machines() {
      @Override
      public void freeze(String node) {
        scene.cluster().freeze(node);
      }

      @Override
      public void freezeKubelet(String node) {
        scene.cluster().freezeKubelet(node);
      }

      @Override
      public void thaw(String node) {
        scene.cluster().thaw(node);
      }

      @Override
      public List<Long> processes(Pod pod) {
        return Host.processes(pod, TrainingJob.CONTAINER);
      }

      @Override
      public long firstProcess(Pod pod) {
        return Host.first(processes(pod));
      }

      @Override
      public void signal(String name, List<Long> processes) {
        Host.signal(name, processes);
      }
    };
  }
}
