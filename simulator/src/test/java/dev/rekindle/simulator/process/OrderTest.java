package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.OrderObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a controller can order agents to do, over the gateway that it has. */
class OrderTest {
  private static final String NAME = "demo-r1-1";

  private final List<String> deeds = new ArrayList<>();
  private @Nullable Simulation simulation;
  private @Nullable ClusterState state;
  private @Nullable RecoveryView recovery;
  private String jobUid = "";

  @AfterEach
  void close() {
    simulation().close();
  }

  @Test
  void shouldMoveOnAndNeverBack() {
    act(
        gateway -> {
          order(gateway, RestartInstruction.FREEZE, "");
          order(gateway, RestartInstruction.FREEZE, "other");
          order(gateway, RestartInstruction.RESTART_ALL, "leader");
          order(gateway, RestartInstruction.RESTART_LEADER, "other");
          order(gateway, RestartInstruction.FREEZE, "");
        });

    assertThat(deeds).containsExactly("FREEZE ", "RESTART_ALL leader");
    assertThat(orders()).hasSize(1);
    assertThat(orders().getFirst().spec().instruction()).isEqualTo(RestartInstruction.RESTART_ALL);
    assertThat(orders().getFirst().spec().leaderUid()).isEqualTo("leader");
  }

  @Test
  void shouldReplaceALateOrderForAnEarlierJobOfTheName() {
    act(
        gateway -> {
          String uid = jobUid;
          jobUid = "earlier";
          order(gateway, RestartInstruction.FREEZE, "");
          jobUid = uid;
          order(gateway, RestartInstruction.FREEZE, "");
        });

    assertThat(deeds).containsExactly("FREEZE ", "withdrawn", "FREEZE ");
    assertThat(simulation().world().orders().list())
        .singleElement()
        .satisfies(order -> assertThat(order.spec().jobUid()).isEqualTo(jobUid));
  }

  @Test
  void shouldShowTheControllerWhatAgentsReport() {
    act(gateway -> order(gateway, RestartInstruction.FREEZE, ""));

    simulation().runFor(Duration.ofSeconds(3));

    List<RestartView> reports = Objects.requireNonNull(state).restarts(Given.KEY);
    assertThat(reports).hasSize(3);
    assertThat(reports)
        .allMatch(r -> r.spec().done() == RestartInstruction.FREEZE)
        .allMatch(r -> r.spec().orderUid().equals(orders().getFirst().uid()))
        .allMatch(r -> r.name().equals(NAME + "." + r.spec().node()));
  }

  @Test
  void shouldTakeBackOnceWhatIsTakenBackTwice() {
    act(
        gateway -> {
          order(gateway, RestartInstruction.FREEZE, "");
          gateway.withdraw(Given.KEY, NAME);
          gateway.withdraw(Given.KEY, NAME);
        });

    assertThat(deeds).containsExactly("FREEZE ", "withdrawn");
    assertThat(orders()).isEmpty();
  }

  @Test
  void shouldGoWithItsRecoveryAndTakeTheReportsAlong() {
    act(gateway -> order(gateway, RestartInstruction.FREEZE, ""));
    simulation().runFor(Duration.ofSeconds(3));

    simulation().levers().deleteRecoveries(Given.KEY);
    simulation().runFor(Duration.ofSeconds(3));

    assertThat(simulation().world().orders().list()).isEmpty();
    assertThat(simulation().world().restarts().list()).isEmpty();
    assertThat(orders()).isEmpty();
    assertThat(Objects.requireNonNull(state).restarts(Given.KEY)).isEmpty();
    assertThat(simulation().training(Given.KEY).moving()).as("thawed").isTrue();
  }

  // --- a controller that does what is ordered ---------------------------------------------

  private Simulation simulation() {
    return Objects.requireNonNull(simulation);
  }

  private List<OrderView> orders() {
    return Objects.requireNonNull(state).orders(Given.KEY);
  }

  private void order(ClusterGateway gateway, RestartInstruction instruction, String leader) {
    gateway.order(
        Objects.requireNonNull(recovery),
        NAME,
        new RestartOrderSpec(
            JobRef.pyTorchJob(Given.KEY.name(), jobUid),
            "demo-r1",
            instruction,
            leader,
            simulation().now().plusSeconds(600)));
  }

  private void act(Consumer<ClusterGateway> script) {
    boolean[] acted = new boolean[2];
    simulation =
        Simulation.of(
            Given.cluster(4, Policy.DEFAULT, 1, Given.job().setup()),
            (seen, gateway, _, _) -> {
              state = seen;
              return new Reconcilers(
                  _ -> {
                    if (acted[0] && !acted[1]) {
                      acted[1] = true;
                      jobUid = simulation().job(Given.KEY).uid();
                      recovery =
                          gateway.open(
                              new RecoveryView(
                                  Given.KEY.namespace(),
                                  "demo-r1",
                                  "",
                                  "",
                                  new RecoverySpec(
                                      JobRef.pyTorchJob(Given.KEY.name(), jobUid),
                                      simulation().now(),
                                      null),
                                  null));
                      script.accept(gateway);
                    }
                    return Optional.of(Duration.ofSeconds(1));
                  },
                  _ -> Optional.empty());
            },
            new WriteObserver() {
              @Override
              public void ordered(@Nullable OrderObject before, OrderObject after) {
                deeds.add(after.spec().instruction() + " " + after.spec().leaderUid());
              }

              @Override
              public void withdrew(OrderObject before) {
                deeds.add("withdrawn");
              }
            });
    assertThat(
            simulation()
                .runUntil(() -> simulation().training(Given.KEY).moving(), Duration.ofMinutes(2)))
        .isTrue();
    acted[0] = true;
    simulation().runFor(Duration.ofSeconds(5));
  }
}
