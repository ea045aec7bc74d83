package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.policy.MaintenanceWindows;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A gang that trains, and a window that opens two minutes after the run has begun. */
class MaintenanceTest extends WatchedCluster {
  private final Policy policy =
      Policy.DEFAULT.with(
          b ->
              b.maintenance(
                  new MaintenanceWindows(
                      List.of(
                          new MaintenanceWindows.Window(
                              ZoneOffset.UTC,
                              EnumSet.allOf(DayOfWeek.class),
                              LocalTime.of(0, 2),
                              Duration.ofMinutes(3))),
                      false)));

  private final Maintenance maintenance = new Maintenance(simulation.world(), invariants, policy);

  /** The clock of a leader may be ahead by two seconds. */
  @ParameterizedTest
  @CsvSource({"60000, true", "117500, true", "118500, false", "130000, false"})
  void shouldLetAWindowOpenByTheClockOfALeader(long millis, boolean broken) {
    simulation.runFor(Duration.ofMillis(millis));
    JobObject job = simulation.world().jobs().get(Given.KEY.toString());
    var spec =
        new RecoverySpec(
            JobRef.pyTorchJob(Given.KEY.name(), job.meta().uid()), simulation.now(), null);
    var cause = new Cause("XID-64", "", List.of(), List.of(), List.of(), List.of(), null);
    var status =
        new RecoveryStatus(
            RecoveryPhase.DRAINING,
            simulation.now(),
            1,
            null,
            cause,
            null,
            null,
            List.of(),
            List.of());
    simulation
        .world()
        .recoveries()
        .create(new RecoveryObject(Meta.draft(Given.KEY.namespace(), "demo-r1", ""), spec, status));

    maintenance.wrote(job, job.withSuspend(true, "demo-r1"), "suspend", "demo-r1");

    assertThat(invariants.violation().map(Violation::invariant).stream().toList())
        .isEqualTo(broken ? List.of(Invariant.MAINTENANCE) : List.of());
  }
}
