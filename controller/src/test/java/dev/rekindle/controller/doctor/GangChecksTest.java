package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.GangScheduling.Group;
import dev.rekindle.controller.model.GangScheduling.Scheduler;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.detect.WatchedNamespaces;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GangChecksTest {
  private static final WorkloadView WAITS =
      Given.workload()
          .with(b -> b.quotaReserved(false).admitted(false).message("insufficient quota"));

  private static JobView queued(WorkloadView workload) {
    return QueuedJob.with(
        job().view().withGang(new GangScheduling.Kueue("q", null)), List.of(workload));
  }

  static Stream<Arguments> shown() {
    return Stream.of(
        argumentSet("no scheduler", job().view(), Scheduler.NONE, ""),
        argumentSet(
            "Kueue", queued(Given.workload()), Scheduler.NONE, "ok Kueue admits it, queue q"),
        argumentSet(
            "Kueue, waiting", queued(WAITS), Scheduler.NONE, "missing Kueue has not admitted"),
        argumentSet(
            "Coscheduling", job().view(), Scheduler.COSCHEDULING, "ok Coscheduling, PodGroup demo"),
        argumentSet("Volcano", job().view(), Scheduler.VOLCANO, "unknown Volcano, PodGroup demo"));
  }

  @ParameterizedTest
  @MethodSource("shown")
  void shouldShowWhoElseHasASay(JobView job, Scheduler scheduler, String expected) {
    Group group = scheduler == Scheduler.NONE ? Group.NONE : new Group(scheduler, "demo");
    ExaminedJob examined =
        new ExaminedJob(
            new JobSnapshot(
                job,
                gang("").stream().map(p -> p.withGroup(group)).toList(),
                nodes(),
                List.of(),
                List.of(),
                List.of()),
            Optional.of(Policy.DEFAULT),
            "",
            true,
            "",
            Map.of(),
            Map.of(),
            WatchedNamespaces.ALL,
            Installation.NONE,
            List.of());

    List<String> said =
        GangChecks.of(examined).stream()
            .map(check -> check.status().word() + " " + check.detail())
            .toList();

    assertThat(said).hasSize(expected.isEmpty() ? 0 : 1).allMatch(s -> s.startsWith(expected));
  }

  @Test
  void shouldShowHowManySparesAreWarmAndWhatIsAllowed() {
    JobView job = job().view().withSpares(new SpareWish(2, "Worker", "t"));

    assertThat(spares(job, List.of(spare(0, Phase.RUNNING), spare(1, Phase.RUNNING))))
        .isEqualTo("ok 2 of 2 warm, on node-3, node-4");
    assertThat(spares(job, List.of(spare(0, Phase.RUNNING), spare(1, Phase.PENDING))))
        .isEqualTo("missing 1 of 2 warm, on node-3; the policy allows 1");
  }

  private static SpareView spare(int slot, Phase phase) {
    return new SpareView(
        job().view().key(),
        "demo-spare-" + slot,
        slot,
        "u" + slot,
        job().view().uid(),
        "t",
        "node-" + (3 + slot),
        phase,
        false,
        8,
        Amounts.NONE,
        Given.T0);
  }

  private static String spares(JobView job, List<SpareView> spares) {
    ExaminedJob examined =
        new ExaminedJob(
            new JobSnapshot(job, gang(""), nodes(), List.of(), List.of(), List.of()),
            Optional.of(Policy.DEFAULT),
            "",
            true,
            "",
            Map.of(),
            Map.of(),
            WatchedNamespaces.ALL,
            Installation.NONE,
            spares);
    Check check = GangChecks.of(examined).getFirst();
    return check.status().word() + " " + check.detail();
  }
}
