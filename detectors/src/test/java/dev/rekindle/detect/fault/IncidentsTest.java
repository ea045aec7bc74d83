package dev.rekindle.detect.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.Incident;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class IncidentsTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
  private List<Incident> incidents = List.of();

  private void see(long second, AffectedPod victim, String unit, String mark) {
    var spec =
        new NodeFaultSpec(
            "n-1",
            ComponentType.GPU,
            "0000:3b:00",
            "XID-74",
            "kmsg",
            FenceGuidance.THRESHOLD,
            "",
            "boot-1",
            T0,
            "line");
    var observation =
        new FaultObservation(
            spec, FaultObservation.NO_SEQUENCE, T0.plusSeconds(second), unit, victim, mark);
    incidents = Incidents.merge(incidents, Incidents.of(observation));
  }

  private static AffectedPod pod(String job) {
    return new AffectedPod("team", job + "-0", job + "-uid", job, "");
  }

  @Test
  void shouldMakeAnIncidentOfEachProgramHoweverSoonOneFollowsTheOther() {
    see(0, pod("a"), "", "");
    see(10, pod("b"), "", "");
    see(20, pod("a"), "", "");
    see(30, pod("b"), "", "");

    assertThat(incidents).extracting(Incident::owner).containsExactly("a", "b");
    assertThat(incidents).extracting(Incident::lines).containsOnly(2L);
  }

  @Test
  void shouldLearnWhoWasHitFromAnotherLineOfTheBurst() {
    see(0, AffectedPod.UNKNOWN, "", "");
    see(1, pod("a"), "", "");
    see(2, AffectedPod.UNKNOWN.as("python"), "", "");

    assertThat(incidents)
        .singleElement()
        .satisfies(i -> assertThat(i.owner()).isEqualTo("a"))
        .satisfies(i -> assertThat(i.process()).isEqualTo("python"));
  }

  @Test
  void shouldDistinguishProcessesWhereNoPodIsKnown() {
    see(0, AffectedPod.UNKNOWN.as("x"), "", "");
    see(1, AffectedPod.UNKNOWN.as("y"), "", "");

    assertThat(incidents).extracting(Incident::process).containsExactly("x", "y");
  }

  @Test
  void shouldDistinguishMarksAndNameAllUnits() {
    see(0, AffectedPod.UNKNOWN, "link 1", "ecc");
    see(1, AffectedPod.UNKNOWN, "link 2", "signal");
    see(2, AffectedPod.UNKNOWN, "link 3", "ecc");
    see(3, AffectedPod.UNKNOWN, "link 1", "ecc");

    assertThat(incidents).extracting(Incident::mark).containsExactly("signal", "ecc");
    assertThat(incidents).extracting(Incident::unit).containsExactly("link 2", "link 1");
    assertThat(incidents.getLast().units()).containsExactly("link 1", "link 3");
    assertThat(incidents.getFirst().units()).isEmpty();
  }

  /** An incident that lasts until the clock is there again would hide all until then. */
  @Test
  void shouldBeginAnIncidentWhenTheClockWasSetBack() {
    see(9_000, pod("a"), "", "");
    see(8_900, pod("a"), "", "");
    see(100, pod("a"), "", "");
    see(200, pod("a"), "", "");

    assertThat(incidents)
        .extracting(Incident::lastSeen)
        .containsExactly(T0.plusSeconds(9_000), T0.plusSeconds(200));
    assertThat(incidents).extracting(Incident::lines).containsOnly(2L);
  }

  /** Evidence of others outlives a flood by one. */
  @Test
  void shouldNotLetAProgramPushOutWhatHitOthers() {
    see(0, pod("quiet"), "", "");
    for (int i = 1; i < 100; i++) {
      see(1_000L * i, pod("loud"), "", "");
    }

    assertThat(incidents).hasSize(12);
    assertThat(incidents).extracting(Incident::owner).contains("quiet").endsWith("loud");
    assertThat(incidents.getLast().lastSeen()).isEqualTo(T0.plusSeconds(99_000));
  }
}
