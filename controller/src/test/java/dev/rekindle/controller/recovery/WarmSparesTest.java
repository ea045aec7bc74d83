package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.SpareView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Replacements go to node-3. */
class WarmSparesTest {
  private static InPlaceScene frozen() {
    return new InPlaceScene()
        .ordered(RestartInstruction.FREEZE)
        .reported(0, RestartInstruction.FREEZE, State.FROZEN)
        .reported(1, RestartInstruction.FREEZE, State.FROZEN)
        .reported(2, RestartInstruction.FREEZE, State.FROZEN);
  }

  private static final Effect ON_PLANNED_NODE =
      new Effect.ReleaseSpare("demo-spare-0", "spare-uid-0", "node-3");

  @Test
  void shouldReleaseTheSpareOnThePlannedNodeWithTheOrderToFreeze() {
    Decision.Act act =
        (Decision.Act)
            new InPlaceScene().planned("node-3").spare(0, "node-3").spare(1, "node-4").decide();

    assertThat(act.effects()).hasAtLeastOneElementOfType(Effect.Order.class);
    assertThat(releases(act.effects())).containsExactly(ON_PLANNED_NODE);
  }

  @Test
  void shouldReleaseNoneWithTheOrderWhereNoReplacementIsPlanned() {
    assertThat(new InPlaceScene().planned(null).spare(0, "node-3").decide().toString())
        .doesNotContain("ReleaseSpare");
  }

  @Test
  void shouldReleaseNoneOfAStalledGangBeforeItIsFrozen() {
    assertThat(new InPlaceScene().stalled().spare(0, "node-3").decide().toString())
        .doesNotContain("ReleaseSpare");
  }

  @Test
  void shouldDeleteNoPodBeforeTheSpareOnItsPlannedNodeHasEnded() {
    Decision.Act release = (Decision.Act) frozen().spare(0, "node-3").spare(1, "node-4").decide();
    assertThat(releases(release.effects())).containsExactly(ON_PLANNED_NODE);
    assertThat(release.then()).isEmpty();

    Decision ending = frozen().written("node-3.host").endingSpare(0, "node-3").decide();
    assertThat(ending)
        .isInstanceOfSatisfying(
            Decision.Wait.class,
            wait ->
                assertThat(wait.why())
                    .isEqualTo("warm spare demo-spare-0 on node-3 has not ended"));

    assertDeletes(frozen().written("node-3.host"));
  }

  @Test
  void shouldNotWaitForASpareThatIsInNobodysWay() {
    assertDeletes(frozen().written("node-3.host").endingSpare(0, "node-4"));
  }

  @Test
  void shouldNotWaitForASpareThatTheApiServerDoesNotRemove() {
    Instant now = InPlaceScene.NOW;
    assertDeletes(
        frozen()
            .spare(0, "node-3")
            .failed(
                new EffectFailure(
                    CallKind.RELEASE_SPARE,
                    "pod demo-spare-0",
                    403,
                    "",
                    now,
                    now,
                    1,
                    Duration.ZERO)));
  }

  @Test
  void shouldNotWaitLongerForASpareThanTheFreezeMayTake() {
    InPlaceScene late = frozen().written("node-3.host").endingSpare(0, "node-3");

    assertDeletes(late.decide(InPlaceScene.NOW.plusSeconds(60)));
  }

  private static void assertDeletes(InPlaceScene scene) {
    assertDeletes(scene.decide());
  }

  private static void assertDeletes(Decision decision) {
    Decision.Act act = (Decision.Act) decision;
    assertThat(Stream.concat(act.effects().stream(), act.then().stream()))
        .hasAtLeastOneElementOfType(Effect.DeletePod.class);
  }

  private static List<Effect> releases(List<Effect> effects) {
    return effects.stream().filter(e -> e instanceof Effect.ReleaseSpare).toList();
  }

  @Test
  void shouldContinueWhereASpareCannotBeRemoved() {
    assertThat(CallKind.RELEASE_SPARE.optional()).isTrue();
    assertThat(new Effect.ReleaseSpare("p", "u", "n").kind()).isEqualTo(CallKind.RELEASE_SPARE);
  }

  @Test
  void shouldReleaseAllSparesOfTheJobAndNoOthersWhenItIsResumed() {
    RecoverySnapshot resuming =
        RecoverySnapshots.snapshot(
                job().suspended("demo-r2", true),
                RecoverySnapshots.status(RecoveryPhase.RESUMING, null, 1),
                List.of(),
                List.of(),
                0)
            .withSpares(List.of(spare("u1", job().view().uid()), spare("u2", "another")));

    assertThat(WarmSpares.all(resuming, job().view()))
        .containsExactly(new Effect.ReleaseSpare("demo-spare-0", "u1", "node-4"));
  }

  @Test
  void shouldReleaseAllSparesOfAGangThatIsCreatedAgainWhateverWasPlannedInPlace() {
    RecoverySnapshot planned =
        new InPlaceScene().planned("node-3").spare(0, "node-3").spare(1, "node-4").snapshot();

    assertThat(WarmSpares.all(planned, job().view()))
        .containsExactly(
            ON_PLANNED_NODE, new Effect.ReleaseSpare("demo-spare-1", "spare-uid-1", "node-4"));
  }

  private static SpareView spare(String uid, String jobUid) {
    return new SpareView(
        job().view().key(),
        "demo-spare-0",
        0,
        uid,
        jobUid,
        "t",
        "node-4",
        Phase.RUNNING,
        false,
        8,
        Amounts.NONE,
        T0);
  }
}
