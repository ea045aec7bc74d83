package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Takes Rekindle away and installs it again. Runs last, as every other test needs it. */
@Order(Integer.MAX_VALUE)
@OnTestbed
class UninstallIT {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** All kinds but events and our own records, which stay. */
  private static final String OBJECTS =
      """
      . testbed/lib.sh
      kinds=$(k api-resources --verbs=list -o name | grep -vE '^events|rekindle.dev$' | paste -sd,)
      k get "$kinds" --all-namespaces --output name | grep rekindle | sort -u
      """;

  /**
   * As charts/rekindle/README.md has it; the Secret is the testbed's, the APIService of the CRDs.
   */
  private static final List<String> STAY =
      List.of(
          "apiservice.apiregistration.k8s.io/v1alpha1.rekindle.dev",
          "configmap/rekindle-fences",
          "configmap/rekindle-notifications",
          "customresourcedefinition.apiextensions.k8s.io/nodefaults.rekindle.dev",
          "customresourcedefinition.apiextensions.k8s.io/rankreports.rekindle.dev",
          "customresourcedefinition.apiextensions.k8s.io/recoveries.rekindle.dev",
          "customresourcedefinition.apiextensions.k8s.io/recoverypolicies.rekindle.dev",
          "customresourcedefinition.apiextensions.k8s.io/restartorders.rekindle.dev",
          "customresourcedefinition.apiextensions.k8s.io/restartreports.rekindle.dev",
          "lease.coordination.k8s.io/rekindle-controller",
          "namespace/rekindle-system",
          "secret/rekindle-webhook");

  private static List<String> objects() {
    return Command.run(LIMIT, "bash", "-c", OBJECTS).lines().toList();
  }

  private static List<String> recoveries(Scene scene) {
    return scene.client().resources(Recovery.class).inAnyNamespace().list().getItems().stream()
        .map(recovery -> recovery.getMetadata().getUid())
        .sorted()
        .toList();
  }

  @Test
  void shouldLeaveWhatTheChartSaysAndComeBackWithItsHistory(Scene scene) {
    Helm helm = new Helm(scene);
    List<String> before = recoveries(scene);
    assertThat(helm.run("uninstall", "rekindle", "--timeout", "200s")).contains("uninstalled");
    helm.forgetHooks();
    try {
      Await.until(
          "nothing of the release left",
          LIMIT,
          () -> objects().equals(STAY),
          () -> objects().toString());
      assertThat(scene.client().nodes().list().getItems())
          .as("no node stays fenced")
          .noneMatch(Cluster::fencedByUs);
      assertThat(recoveries(scene)).isEqualTo(before);
    } finally {
      helm.run(
          "install",
          "rekindle",
          "charts/rekindle",
          "--values",
          Testbed.RUN.resolve("values.yaml").toString(),
          "--wait",
          "--timeout",
          "200s");
    }
    Await.until("a controller leads", LIMIT, () -> scene.controller().findLeader().isPresent());
    assertThat(recoveries(scene)).isEqualTo(before);
  }
}
