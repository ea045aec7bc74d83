package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.engine.Loop;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pod of an attempt, and two orders to restart its gang in place, ten and twenty seconds on. */
class GenerationsTest {
  private static final JobKey JOB = new JobKey("team", "demo");

  private final Generations generations = new Generations();
  private final PodObject pod = pod("uid-1", 0);
  private final OrderObject first = order("demo-r1-1", 10);
  private final OrderObject second = order("demo-r2-1", 20);

  @BeforeEach
  void start() {
    assertThat(generations.next(pod)).isEqualTo("demo-r0-1");
    assertThat(generations.ordered(first, "demo-r0-1")).isFalse();
  }

  @Test
  void shouldTakeWhatAnOrderRestartsForItsGeneration() {
    generations.restarts("uid-1", first);

    assertThat(generations.next(pod)).isEqualTo("demo-r1-1 in place");
    assertThat(generations.survivor(pod, "demo-r1-1 in place")).isTrue();
  }

  @Test
  void shouldTakeAPodThatCameAfterAnOrderForItsGeneration() {
    PodObject replacement = pod("uid-2", 12);

    assertThat(generations.next(replacement)).isEqualTo("demo-r1-1 in place");
    assertThat(generations.survivor(replacement, "demo-r1-1 in place")).isFalse();

    assertThat(generations.ordered(second, "demo-r0-1")).isFalse();
    assertThat(generations.next(pod("uid-3", 22))).isEqualTo("demo-r2-1 in place");
  }

  /** An agent has notes of both orders as long as both stand. */
  @Test
  void shouldLetTheLaterOrderCountWhicheverIsSpokenOfLast() {
    assertThat(generations.ordered(second, "demo-r0-1")).isFalse();

    generations.restarts("uid-1", second);
    generations.restarts("uid-1", first);

    assertThat(generations.next(pod)).isEqualTo("demo-r2-1 in place");
    assertThat(generations.isLater("demo-r2-1 in place", first)).isTrue();
    assertThat(generations.isLater("demo-r1-1 in place", second)).isFalse();
    assertThat(generations.isLater("demo-r1-1 in place", first)).isFalse();
    assertThat(generations.isLater("demo-r0-1", first)).isFalse();
  }

  @Test
  void shouldMakeTheGangOneAgainWhenItsLastOrderIsWithdrawn() {
    assertThat(generations.withdrawn(first)).contains("demo-r0-1");

    assertThat(generations.next(pod)).isEqualTo("demo-r1-1 in place");
    assertThat(generations.anyStands()).isFalse();
  }

  @Test
  void shouldChangeNothingWhenAnEarlierOrderIsWithdrawnLate() {
    assertThat(generations.ordered(second, "demo-r0-1")).isFalse();
    generations.restarts("uid-1", second);

    assertThat(generations.withdrawn(first)).isEmpty();

    assertThat(generations.next(pod)).isEqualTo("demo-r2-1 in place");
    assertThat(generations.stands("demo-r1-1 in place")).isFalse();
    assertThat(generations.stands("demo-r2-1 in place")).isTrue();
  }

  private static OrderObject order(String name, int second) {
    return new OrderObject(
        meta(name, "uid-" + name, second),
        new RestartOrderSpec(
            JobRef.pyTorchJob(JOB.name(), "uid-0"),
            "demo-r",
            RestartInstruction.FREEZE,
            "",
            Loop.T0.plusSeconds(600)));
  }

  private static PodObject pod(String uid, int second) {
    return new PodObject(
        meta("demo-worker-0", uid, second),
        JOB,
        1,
        RestartPolicy.ON_FAILURE,
        8,
        30,
        new JobObject.Template("demo-r0-1", "", -1, List.of(), List.of(), Map.of(), ""),
        "node-0",
        Given.job().setup(),
        PodObject.Status.PENDING,
        /* markTaken= */ false,
        HeldGpus.NONE);
  }

  private static Meta meta(String name, String uid, int second) {
    return Meta.draft(JOB.namespace(), name, "uid-0")
        .with(b -> b.uid(uid).created(Loop.T0.plusSeconds(second)));
  }
}
