package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.world.LeaseObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two processes; a lease of fifteen seconds, renewed about every two; a leader that cannot renew it
 * for ten seconds ends.
 */
class ElectionTest {
  private static final Reconcilers.Factory IDLE =
      (_, _, _, _) -> new Reconcilers(_ -> Optional.empty(), _ -> Optional.empty());

  private final List<String> events = new ArrayList<>();
  private final Simulation simulation =
      Simulation.of(Given.cluster(1, Policy.DEFAULT, 2), IDLE, new WriteObserver() {});

  ElectionTest() {
    simulation.listen(
        happening -> {
          if (happening.kind() == Kind.CONTROLLER) {
            events.add(
                "%d %s %s"
                    .formatted(
                        Duration.between(Loop.T0, happening.at()).toSeconds(),
                        happening.subject().replace("rekindle-controller-", "#"),
                        happening.text()));
          }
        });
    simulation.runFor(Duration.ofSeconds(60));
  }

  @AfterEach
  void close() {
    simulation.close();
  }

  @Test
  void shouldMakeOneOfThemTheLeaderAndKeepIt() {
    simulation.runFor(Duration.ofMinutes(30));

    assertThat(events).containsExactly("0 #0 leads");
    assertThat(holder()).isEqualTo("#0");
    assertThat(Duration.between(lease().renewed(), simulation.now()))
        .isLessThan(Duration.ofSeconds(3));
  }

  @Test
  void shouldLetTheOtherLeadOnceTheLeaseOfADeadLeaderIsOver() {
    simulation.levers().controllerDies();
    simulation.runFor(Duration.ofSeconds(12));
    assertThat(leads()).as("the lease is still held").hasSize(1);
    assertThat(holder()).isEqualTo("#0");

    simulation.runFor(Duration.ofSeconds(8));

    assertThat(leads()).hasSize(2);
    assertThat(leads().getLast()).endsWith("#1 leads");
    assertThat(events).anyMatch(t -> t.endsWith("#0 dies: killed"));
    assertThat(events).as("its next run").anyMatch(t -> t.endsWith("#2 starts"));
    simulation.runFor(Duration.ofMinutes(10));
    assertThat(leads()).hasSize(2);
    assertThat(holder()).isEqualTo("#1");
  }

  @Test
  void shouldEndALeaderThatStoodStillForLongerThanItsLease() {
    simulation.fleet().pauseLeader(Duration.ofSeconds(40));
    simulation.runFor(Duration.ofSeconds(39));
    assertThat(leads()).hasSize(2);
    assertThat(holder()).isEqualTo("#1");
    assertThat(events).noneMatch(t -> t.contains("dies"));

    simulation.runFor(Duration.ofSeconds(2));

    assertThat(events).anyMatch(t -> t.endsWith("#0 dies: another has its lease"));
    simulation.runFor(Duration.ofMinutes(10));
    assertThat(holder()).isEqualTo("#1");
    assertThat(leads()).hasSize(2);
  }

  /** What its watches have shown is of before. */
  @Test
  void shouldEndALeaderWhoseLeaseRanOutWhileNoneStoodBy() {
    simulation.fleet().pauseLeader(Duration.ofMinutes(2));
    simulation.runFor(Duration.ofSeconds(25));
    assertThat(leads()).hasSize(2);
    simulation.fleet().pauseLeader(Duration.ofSeconds(30));
    simulation.runFor(Duration.ofSeconds(33));

    assertThat(events).anyMatch(t -> t.endsWith("#1 dies: its lease ran out while it stood still"));
  }

  @Test
  void shouldKeepALeaderThatStoodStillForAMoment() {
    simulation.fleet().pauseLeader(Duration.ofSeconds(8));
    simulation.runFor(Duration.ofMinutes(5));

    assertThat(leads()).hasSize(1);
    assertThat(events).noneMatch(t -> t.contains("dies"));
  }

  @Test
  void shouldEndALeaderThatCannotRenewBeforeAnotherCanLead() {
    simulation.fleet().apiDownUntil(simulation.now().plusSeconds(14));
    simulation.runFor(Duration.ofSeconds(9));
    assertThat(events).noneMatch(t -> t.contains("dies"));
    simulation.runFor(Duration.ofSeconds(4));
    assertThat(events).anyMatch(t -> t.endsWith("#0 dies: could not renew its lease"));
    assertThat(leads()).hasSize(1);

    simulation.runFor(Duration.ofSeconds(20));

    assertThat(leads()).hasSize(2);
  }

  @Test
  void shouldKeepALeaderOfWhichSomeRenewalsAreLost() {
    simulation.fleet().apiDownUntil(simulation.now().plusSeconds(6));
    simulation.runFor(Duration.ofMinutes(1));

    assertThat(events).containsExactly("0 #0 leads");
  }

  @Test
  void shouldTakeOverEvenWhereEveryProcessDies() {
    simulation.fleet().killAll();
    simulation.runFor(Duration.ofMinutes(1));

    assertThat(leads()).hasSize(2);
    assertThat(holder()).isIn("#2", "#3");
  }

  private List<String> leads() {
    return events.stream().filter(t -> t.endsWith("leads")).toList();
  }

  private LeaseObject lease() {
    return simulation.world().leases().list().getFirst();
  }

  private String holder() {
    return lease().holder().replace("rekindle-controller-", "#");
  }
}
