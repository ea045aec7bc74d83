package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What each of the three may do, with the reason. A verb in the chart that is not here fails the
 * build, and so does one that is here and not in the chart.
 */
class RbacTest {
  static final Map<String, String> CONTROLLER =
      Map.ofEntries(
          // Watched; suspended, patched and resumed by merge patch.
          Map.entry("kubeflow.org/pytorchjobs", "get list watch patch"),
          // Takes the Failed condition off a job that is restarted.
          Map.entry("kubeflow.org/pytorchjobs/status", "patch"),
          // Drained by deleting; listed live before a job is resumed; one that is restarted in
          // place
          // is given its checkpoint by an annotation.
          Map.entry("/pods", "get list watch patch delete"),
          // The report of the inspector.
          Map.entry("/pods/log", "get"),
          // Cordon and release; the incidents of a node, and the label of a lemon.
          Map.entry("/nodes", "get list watch patch"),
          // Those of agents are read; those of its own detectors written; those of Nodes that are
          // no
          // more deleted.
          Map.entry("rekindle.dev/nodefaults", "get list watch create update delete"),
          Map.entry("rekindle.dev/nodefaults/status", "update"),
          // Taints of devices.
          Map.entry("resource.k8s.io/resourceslices", "list watch"),
          Map.entry("resource.k8s.io/devicetaintrules", "list watch"),
          Map.entry("rekindle.dev/rankreports", "list watch"),
          // The scorecard of mode observe stands on the status.
          Map.entry("rekindle.dev/recoverypolicies", "get list watch"),
          Map.entry("rekindle.dev/recoverypolicies/status", "update"),
          // Opened once; all that follows is status. Of those that are over the newest are kept.
          Map.entry("rekindle.dev/recoveries", "get list watch create delete"),
          Map.entry("rekindle.dev/recoveries/status", "update"),
          // One for each attempt to restart in place; agents carry it out and report.
          Map.entry("rekindle.dev/restartorders", "get list watch create update delete"),
          Map.entry("rekindle.dev/restartreports", "list watch"),
          // Which nodes reach the volumes of a job.
          Map.entry("/persistentvolumeclaims", "get"),
          Map.entry("/persistentvolumes", "get"),
          // Kueue stops a job and admits it again as the Workload says; its queue is held
          // meanwhile.
          Map.entry("kueue.x-k8s.io/workloads", "get list watch patch"),
          Map.entry("kueue.x-k8s.io/clusterqueues", "get list watch patch"),
          // A gang scheduler reads what has changed; the client reads before it patches.
          Map.entry("scheduling.x-k8s.io/podgroups", "get patch"),
          // Free addresses, rails and their resources, and the addresses that pods were given.
          Map.entry("spiderpool.spidernet.io/spiderippools", "list watch"),
          Map.entry("spiderpool.spidernet.io/spidermultusconfigs", "list watch"),
          Map.entry("spiderpool.spidernet.io/spiderendpoints", "list watch"),
          // Which namespaces ask Spiderpool for NICs, and whether its webhook adds them.
          Map.entry("/namespaces", "list watch"),
          Map.entry("admissionregistration.k8s.io/mutatingwebhookconfigurations", "list watch"),
          // The inspector, in the namespace of the job it scans for.
          Map.entry("batch/jobs", "get create delete"),
          Map.entry("events.k8s.io/events", "create patch"));

  static final Map<String, String> AGENT =
      Map.of(
          // The pods of its node, and the job they belong to.
          "/pods", "list watch",
          "kubeflow.org/pytorchjobs", "get",
          // Those of its node are found by a label when something clears them; a fault that
          // reaches a threshold is updated to fence.
          "rekindle.dev/nodefaults", "get list create update",
          "rekindle.dev/nodefaults/status", "update",
          "rekindle.dev/rankreports", "get create",
          "rekindle.dev/rankreports/status", "update",
          // What it is to freeze and restart, and what became of it.
          "rekindle.dev/restartorders", "list watch",
          "rekindle.dev/restartreports", "get create update");

  static final Map<String, String> CONSOLE =
      Map.of(
          // What its pages show.
          "rekindle.dev/recoveries", "list watch",
          "rekindle.dev/nodefaults", "list watch",
          // Pause, windows and prices; and the GPUs of a node, where a model has a price.
          "rekindle.dev/recoverypolicies", "list watch",
          "/nodes", "list",
          // Who asks, and what the cluster would let them see. Both store nothing.
          "authentication.k8s.io/tokenreviews", "create",
          "authorization.k8s.io/subjectaccessreviews", "create");

  private static final Map<String, String> CONTROLLER_IN_ITS_NAMESPACE =
      Map.of(
          // One of two controllers leads.
          "coordination.k8s.io/leases", "get create patch",
          // The slots of the breaker. A creation cannot be limited to a name.
          "/configmaps", "create",
          "/configmaps/rekindle-fences", "get update");

  /** Verbs by group and resource, and by name where they are limited to one. */
  static Map<String, String> table(List<PolicyRule> rules) {
    Map<String, String> table = new TreeMap<>();
    for (PolicyRule rule : rules) {
      assertThat(rule.getNonResourceURLs()).isEmpty();
      String name =
          rule.getResourceNames().stream().map(n -> "/" + n).collect(Collectors.joining());
      for (String group : rule.getApiGroups()) {
        for (String resource : rule.getResources()) {
          table.merge(
              group + "/" + resource + name,
              String.join(" ", rule.getVerbs()),
              (a, b) -> a + " " + b);
        }
      }
    }
    return table;
  }

  @Test
  void shouldGrantTheControllerExactlyTheVerbsItUses() {
    assertThat(table(Chart.render("").one(ClusterRole.class, "-controller").getRules()))
        .containsExactlyInAnyOrderEntriesOf(CONTROLLER);
  }

  @Test
  void shouldNotLetTheControllerHoldQueuesWhereThatIsOff() {
    assertThat(
            table(
                Chart.render("controller: {holdQueues: false}")
                    .one(ClusterRole.class, "-controller")
                    .getRules()))
        .containsEntry("kueue.x-k8s.io/clusterqueues", "get list watch");
  }

  @Test
  void shouldHaveARoleForUsersWhoApprove() {
    Chart chart = Chart.render("");
    ClusterRole approver = chart.one(ClusterRole.class, "-approver");
    assertThat(table(approver.getRules()))
        .containsOnly(Map.entry("rekindle.dev/recoveries", "get list watch patch"));
    assertThat(approver.getAggregationRule()).isNull();
    assertThat(approver.getMetadata().getLabels().keySet())
        .noneMatch(label -> label.contains("aggregate-to"));
    assertThat(Chart.render("rbac: {approver: false}").names())
        .noneMatch(name -> name.endsWith("-approver"));
  }

  /** A right that is granted only where spares are enabled. */
  @Test
  void shouldLetTheControllerMakePodsOnlyWhereSparesAreOn() {
    assertThat(
            table(
                Chart.render("spares: {enabled: true}")
                    .one(ClusterRole.class, "-controller")
                    .getRules()))
        .containsEntry("/pods", "get list watch patch delete create");
  }

  @Test
  void shouldGrantTheAgentExactlyTheVerbsItUses() {
    assertThat(table(Chart.render("").one(ClusterRole.class, "-agent").getRules()))
        .containsExactlyInAnyOrderEntriesOf(AGENT);
  }

  @Test
  void shouldLetTheConsoleReadAndAskAndWriteNothing() {
    assertThat(table(Chart.render("").one(ClusterRole.class, "-console").getRules()))
        .containsExactlyInAnyOrderEntriesOf(CONSOLE);
    assertThat(Chart.render("console: {enabled: false}").names())
        .noneMatch(n -> n.contains("console"));
  }

  @Test
  void shouldKeepLeaseAndPlacesOfTheBreakerToTheNamespaceOfTheRelease() {
    Chart chart = Chart.render("");
    Role role = chart.one(Role.class, "-controller");

    assertThat(role.getMetadata().getNamespace()).isEqualTo("rekindle-system");
    assertThat(table(role.getRules()))
        .containsExactlyInAnyOrderEntriesOf(CONTROLLER_IN_ITS_NAMESPACE);
    assertThat(chart.one(RoleBinding.class, "-controller").getRoleRef().getName())
        .isEqualTo(role.getMetadata().getName());
  }

  /** The record of what webhooks have taken, and no Secret: the kubelet mounts those. */
  @Test
  void shouldLetTheControllerRecordNotificationsOnlyWhereThereIsAWebhook() {
    Role role = Chart.render(NotificationsTest.VALUES).one(Role.class, "-controller");
    Map<String, String> expected = new TreeMap<>(CONTROLLER_IN_ITS_NAMESPACE);
    expected.put("/configmaps/rekindle-notifications", "get update");

    assertThat(table(role.getRules())).isEqualTo(expected);
  }

  /** It requests one at a time: a watch would send every node every ten seconds. */
  @Test
  void shouldReadLeasesOfNodesOnly() {
    Role role = Chart.render("").one(Role.class, "-node-leases");

    assertThat(role.getMetadata().getNamespace()).isEqualTo("kube-node-lease");
    assertThat(table(role.getRules())).isEqualTo(Map.of("coordination.k8s.io/leases", "get"));
  }

  @Test
  void shouldReadOthersConfigMapsOnlyWhereThereAreAscendDevices() {
    assertThat(Chart.render("").names()).noneMatch(n -> n.contains("ascend"));
    Chart chart = Chart.render("controller: {ascend: true}");

    assertThat(chart.names())
        .filteredOn(n -> n.contains("ascend"))
        .containsExactly(
            "Role/rk-ascend", "Role/rk-ascend", "RoleBinding/rk-ascend", "RoleBinding/rk-ascend");
  }

  @Test
  void shouldBindEachRoleToItsOwnAccountAlone() {
    Chart chart = Chart.render("console: {enabled: true}");
    for (String who : new String[] {"rk-controller", "rk-agent", "rk-console"}) {
      ClusterRoleBinding binding = chart.one(ClusterRoleBinding.class, who);
      assertThat(binding.getRoleRef().getName()).isEqualTo(who);
      assertThat(binding.getSubjects())
          .singleElement()
          .satisfies(
              subject -> {
                assertThat(subject.getName()).isEqualTo(who);
                assertThat(subject.getNamespace()).isEqualTo("rekindle-system");
              });
    }
  }
}
