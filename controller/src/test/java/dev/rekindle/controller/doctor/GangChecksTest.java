package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.GangScheduling.Group;
import dev.rekindle.controller.model.GangScheduling.Scheduler;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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
            Map.of());

    List<String> said =
        GangChecks.of(examined).stream()
            .map(check -> check.status().word() + " " + check.detail())
            .toList();

    assertThat(said).hasSize(expected.isEmpty() ? 0 : 1).allMatch(s -> s.startsWith(expected));
  }
}
