package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * An upgrade from the chart and the image of an earlier commit while recoveries are open, and a
 * rollback. {@code ./rekindle testbed upgrade} installs that commit and runs this.
 */
@OnTestbed
@EnabledIfSystemProperty(named = "testbed.upgrade", matches = "true")
class UpgradeIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Path VALUES = Testbed.RUN.resolve("values.yaml");

  @Test
  @OnAllNodes
  void shouldFinishEachRecoveryThatAnEarlierReleaseBegan(Scene scene) {
    Helm helm = new Helm(scene);
    String earlier = helm.revision();
    List<OpenRecovery> open = OpenRecovery.inEachPhase(scene);
    assertThat(images(scene)).containsOnly("localhost/rekindle:before");

    upgrade(helm);

    assertThat(images(scene)).containsOnly("localhost/rekindle:dev");
    open.forEach(OpenRecovery::stillWaits);
    // The training operator first: the others wait for it then.
    open.reversed().forEach(OpenRecovery::release);
    open.forEach(OpenRecovery::awaitEnd);

    goesBack(scene, helm, earlier);
  }

  /** Recoveries that this release began, ended by the earlier one: one has suspended its job. */
  private static void goesBack(Scene scene, Helm helm, String earlier) {
    List<OpenRecovery> open = List.of(OpenRecovery.approved(scene), OpenRecovery.draining(scene));
    helm.run("rollback", "rekindle", earlier, "--wait", "--timeout", "280s");
    assertThat(images(scene)).containsOnly("localhost/rekindle:before");
    open.forEach(OpenRecovery::stillWaits);
    open.forEach(OpenRecovery::release);
    open.forEach(OpenRecovery::awaitEnd);
    upgrade(helm);
  }

  /** As charts/rekindle/README.md has it: the resource definitions first. */
  private static void upgrade(Helm helm) {
    Command.run(
        LIMIT,
        "bash",
        "-c",
        ". testbed/lib.sh; k apply --server-side --force-conflicts -f charts/rekindle/crds");
    helm.run(
        "upgrade",
        "rekindle",
        "charts/rekindle",
        "--values",
        VALUES.toString(),
        "--wait",
        "--timeout",
        "280s");
  }

  private static List<String> images(Scene scene) {
    return scene.client().pods().inNamespace(ControllerProcess.NAMESPACE).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .flatMap(pod -> pod.getSpec().getContainers().stream())
        .map(Container::getImage)
        .distinct()
        .toList();
  }
}
