package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicy;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rights and watches where only some namespaces are watched. */
class WatchNamespacesTest {
  private static final Chart TWO = Chart.renderWithHooks("watchNamespaces: [team-b, team-a]");

  /** What is not of a namespace, or is read wherever it is. */
  private static final Set<String> CLUSTER_WIDE =
      Set.of(
          "/nodes",
          "/persistentvolumes",
          "/namespaces",
          "rekindle.dev/nodefaults",
          "rekindle.dev/nodefaults/status",
          "rekindle.dev/recoverypolicies",
          "rekindle.dev/recoverypolicies/status",
          "authentication.k8s.io/tokenreviews",
          "authorization.k8s.io/subjectaccessreviews",
          "resource.k8s.io/resourceslices",
          "resource.k8s.io/devicetaintrules",
          "kueue.x-k8s.io/clusterqueues",
          "spiderpool.spidernet.io/spiderippools",
          "spiderpool.spidernet.io/spidermultusconfigs",
          "admissionregistration.k8s.io/mutatingwebhookconfigurations");

  private static Map<String, String> only(Map<String, String> all, boolean clusterWide) {
    Map<String, String> some = new TreeMap<>(all);
    some.keySet().removeIf(key -> CLUSTER_WIDE.contains(key) != clusterWide);
    return some;
  }

  @ParameterizedTest
  @CsvSource({"controller", "agent", "console"})
  void shouldGrantInEachNamespaceWhatBelongsToJobsAndNothingOfItElsewhere(String who) {
    Map<String, String> all =
        switch (who) {
          case "agent" -> RbacTest.AGENT;
          case "console" -> RbacTest.CONSOLE;
          default -> RbacTest.CONTROLLER;
        };
    List<Role> roles =
        TWO.all(Role.class).stream()
            .filter(r -> r.getMetadata().getName().equals("rk-" + who + "-jobs"))
            .toList();

    assertThat(roles)
        .extracting(r -> r.getMetadata().getNamespace())
        .containsExactlyInAnyOrder("team-a", "team-b");
    for (Role role : roles) {
      assertThat(RbacTest.table(role.getRules()))
          .containsExactlyInAnyOrderEntriesOf(only(all, false));
    }
    Map<String, String> clusterWide = only(all, true);
    if (!who.equals("console")) {
      clusterWide.put("/namespaces/team-b/team-a", "get");
    }
    assertThat(RbacTest.table(TWO.one(ClusterRole.class, "-" + who).getRules()))
        .containsExactlyInAnyOrderEntriesOf(clusterWide);
  }

  @Test
  void shouldBindEachRoleToTheAccountOfTheReleaseInItsOwnNamespace() {
    for (RoleBinding binding : TWO.all(RoleBinding.class)) {
      assertThat(binding.getSubjects())
          .singleElement()
          .satisfies(s -> assertThat(s.getNamespace()).isEqualTo("rekindle-system"));
      if (binding.getMetadata().getName().endsWith("-jobs")) {
        assertThat(binding.getSubjects().getFirst().getName() + "-jobs")
            .isEqualTo(binding.getMetadata().getName())
            .isEqualTo(binding.getRoleRef().getName());
      }
    }
  }

  /** The recorder writes events about nodes there. */
  @Test
  void shouldLetTheControllerWriteEventsAboutNodes() {
    Role role = TWO.one(Role.class, "-node-events");

    assertThat(role.getMetadata().getNamespace()).isEqualTo("default");
    assertThat(RbacTest.table(role.getRules()))
        .isEqualTo(Map.of("events.k8s.io/events", "create patch"));
  }

  private static Map<String, String> environment(Container container) {
    return container.getEnv().stream()
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  private static List<Container> all(Chart chart) {
    return List.of(
            chart.one(Deployment.class, "-controller").getSpec().getTemplate().getSpec(),
            chart.one(DaemonSet.class, "-agent").getSpec().getTemplate().getSpec(),
            chart.one(Deployment.class, "-console").getSpec().getTemplate().getSpec(),
            chart.one(Pod.class, "-test").getSpec(),
            chart.one(Job.class, "-pre-delete").getSpec().getTemplate().getSpec())
        .stream()
        .map(pod -> pod.getContainers().getFirst())
        .toList();
  }

  @Test
  void shouldGiveTheNamespacesToAllThatWatchAndToDoctor() {
    for (Container container : all(TWO)) {
      assertThat(environment(container))
          .containsEntry("REKINDLE_WATCH_NAMESPACES", "team-b,team-a");
    }
    assertThat(TWO.one(RecoveryPolicy.class, "default").getMetadata().getAnnotations())
        .isEqualTo(Map.of("rekindle.dev/watched-namespaces", "team-b,team-a"));
  }

  @Test
  void shouldWatchAllNamespacesByDefault() {
    Chart chart = Chart.renderWithHooks("");
    for (Container container : all(chart)) {
      assertThat(environment(container)).doesNotContainKey("REKINDLE_WATCH_NAMESPACES");
    }
    assertThat(chart.names()).noneMatch(name -> name.matches("Role.*-jobs"));
    assertThat(chart.one(RecoveryPolicy.class, "default").getMetadata().getAnnotations())
        .isNullOrEmpty();
  }

  /** A lookup in the cluster: what it does is seen on the testbed. */
  @Test
  void shouldTakeForOverWhatTheControllerTakesForOver() throws IOException {
    String over =
        Arrays.stream(RecoveryPhase.values())
            .filter(RecoveryPhase::isTerminal)
            .map(phase -> '"' + phase.word() + '"')
            .collect(Collectors.joining(" ", "(list ", ")"));

    assertThat(Files.readString(Chart.FOLDER.resolve("templates/watch-namespaces.yaml")))
        .contains(over);
  }
}
