package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the condition {@code RdmaRestored} of a recovered gang says. */
class RestoredNetworkTest {
  private static final Transport IB =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "");
  private static final Transport SOCKET =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 2, "");
  private static final FormerNetwork ON_RDMA = new FormerNetwork(true, 1, true, null);

  private static Optional<Condition> after(
      @Nullable FormerNetwork before, @Nullable Transport first, @Nullable Transport others) {
    RecoveryStatus verifying = status(RecoveryPhase.VERIFYING, null, 1);
    List<PodView> gang = gang(ME + "-1");
    List<RankView> ranks = new ArrayList<>();
    for (RankView rank : Given.ranks(gang, 21L, NOW, NOW)) {
      ranks.add(rank.withTransport(ranks.isEmpty() ? first : others));
    }
    RecoverySnapshot s =
        snapshot(
            job(),
            verifying.withCause(
                Objects.requireNonNull(verifying.cause())
                    .withBefore(new FormerRun(T0, null, null, true, before))),
            gang,
            ranks,
            1);
    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RECOVERED);
    return ((Decision.Move) decision)
        .next().conditions().stream().filter(c -> c.getType().equals("RdmaRestored")).findFirst();
  }

  private static void says(Optional<Condition> condition, String status, String reason) {
    assertThat(condition)
        .hasValueSatisfying(
            c -> {
              assertThat(c.getStatus()).isEqualTo(status);
              assertThat(c.getReason()).isEqualTo(reason);
            });
  }

  @Test
  void shouldBeTrueWhereAllRanksAreOnRdmaAsBefore() {
    says(after(ON_RDMA, IB, IB), "True", "OnRdma");
  }

  @Test
  void shouldBeFalseAndNameTheRankWhereOneIsOnTcp() {
    Optional<Condition> condition = after(ON_RDMA, SOCKET, IB);
    says(condition, "False", "NcclSocketFallback");
    assertThat(condition.orElseThrow().getMessage()).contains(gang(ME).getFirst().name());
  }

  @Test
  void shouldBeUnknownWhereARankSaysNothing() {
    says(after(ON_RDMA, null, IB), "Unknown", "NcclDebugOff");
  }

  @Test
  void shouldBeAbsentWhereTheJobNeitherAskedForRdmaNorHadIt() {
    assertThat(after(null, SOCKET, SOCKET)).isEmpty();
  }
}
