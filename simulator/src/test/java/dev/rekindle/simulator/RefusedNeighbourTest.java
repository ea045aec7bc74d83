package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.process.SharedCircuits;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is refused to one job, for good, keeps no other one waiting. In each row the first job comes
 * to where it needs the call, and only once that was refused the second one fails.
 */
class RefusedNeighbourTest {
  private static final JobKey REFUSED = new JobKey("team", "refused");
  private static final JobKey OTHER = new JobKey("team", "other");

  /** A recovery takes some 20 s here; the same bound holds for each kind of call. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  /** Until the call is made at the latest. */
  private static final Duration ASKED = Duration.ofMinutes(10);

  /**
   * Calls of a job without a row. There is no gang scheduler in memory, so nothing retries. An
   * event that is refused is lost, and throws nothing by the contract of the gateway. A queue is
   * one for all its jobs: one that cannot be released keeps them waiting, see below. No recovery
   * waits for a warm spare, see {@link SimulatedSparesTest}, or for what a claim is bound to.
   */
  private static final Set<Call> WITHOUT_ROW =
      EnumSet.of(
          Call.REQUEUE,
          Call.RECORD_EVENT,
          Call.RELEASE_QUEUE,
          Call.ADD_SPARE,
          Call.REMOVE_SPARE,
          Call.VOLUME);

  /** A job, and what makes its recovery need a call. */
  enum Course {
    /** It is restarted in place. */
    IN_PLACE {
      @Override
      void play(Simulation simulation) {
        lose(simulation, REFUSED);
      }
    },
    /** It was rebuilt, a rank of it hangs, and it is restarted in place with all its pods. */
    STALLED {
      @Override
      void play(Simulation simulation) {
        rebuild(simulation);
        simulation.levers().rankHangs(REFUSED, 1);
      }
    },
    /** It is suspended, its pods are deleted, and it is resumed. */
    REBUILD {
      @Override
      Given.Job job() {
        return Given.job().way(RestartMode.REBUILD);
      }

      @Override
      void play(Simulation simulation) {
        lose(simulation, REFUSED);
      }
    },
    /** The operator fails it while no controller leads. */
    FAILED {
      @Override
      Given.Job job() {
        return Given.job().restart(RestartPolicy.NEVER);
      }

      @Override
      void play(Simulation simulation) {
        simulation.levers().controllerDies();
        simulation.levers().rankDies(REFUSED, 0, 1);
      }
    },
    /** It was rebuilt, and is restarted in place now. */
    AGAIN {
      @Override
      void play(Simulation simulation) {
        rebuild(simulation);
        lose(simulation, REFUSED);
      }
    },
    /** It is only observed, and deleted while its scorecard waits for what becomes of it. */
    OBSERVED {
      @Override
      Given.Job job() {
        return Given.job().mode(Mode.OBSERVE);
      }

      @Override
      void play(Simulation simulation) {
        lose(simulation, REFUSED);
        simulation.runFor(Duration.ofSeconds(30));
        simulation.levers().deleteJob(REFUSED);
      }
    },
    /** It has more recoveries than are kept. */
    OLD {
      @Override
      void play(Simulation simulation) {
        Instant then = simulation.now().minus(Duration.ofDays(40));
        for (int i = 1; i <= 25; i++) {
          simulation.world().recoveries().create(ended(simulation, i, then));
        }
        simulation.levers().rankDies(REFUSED, 0, 1);
      }
    },
    /** Its tracker names a checkpoint that is torn. */
    TRACKED {
      @Override
      Given.Job job() {
        return Given.job()
            .byTracker()
            .way(RestartMode.REBUILD)
            .training(Duration.ofMillis(500), 10, Duration.ofMillis(200));
      }

      @Override
      void play(Simulation simulation) {
        simulation.levers().tearNewestCheckpoint(REFUSED);
        lose(simulation, REFUSED);
      }
    },
    /** Kueue admits it. */
    QUEUED {
      @Override
      Given.Job job() {
        return Given.job().way(RestartMode.REBUILD).newestByItself();
      }

      @Override
      void play(Simulation simulation) {
        lose(simulation, REFUSED);
      }
    },
    /** A person has activated its Workload in the middle of its recovery. */
    ACTIVATED {
      @Override
      Given.Job job() {
        return Given.job().way(RestartMode.REBUILD).newestByItself();
      }

      @Override
      void play(Simulation simulation) {
        lose(simulation, REFUSED);
        var workloads = simulation.world().queueing().workloads();
        assertThat(
                simulation.runUntil(
                    () -> !workloads.get(REFUSED.toString()).stoppedBy().isEmpty(), ASKED))
            .isTrue();
        workloads.patch(REFUSED.toString(), w -> w.withActive(true, w.stoppedBy()));
      }
    };

    Given.Job job() {
      return Given.job();
    }

    abstract void play(Simulation simulation);

    Setup setup() {
      Setup setup =
          Given.cluster(
              6,
              Policy.DEFAULT,
              2,
              job().named(REFUSED.name()).ranks(2, 8).setup(),
              Given.job().named(OTHER.name()).ranks(1, 8).setup());
      return this == QUEUED || this == ACTIVATED ? setup.queued(6) : setup;
    }
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row(Course.IN_PLACE, Call.OPEN),
        row(Course.IN_PLACE, Call.SAVE),
        row(Course.IN_PLACE, Call.ORDER),
        row(Course.IN_PLACE, Call.WITHDRAW),
        row(Course.STALLED, Call.INJECT_RESUME),
        row(Course.IN_PLACE, Call.PLAN_NODES),
        row(Course.AGAIN, Call.CLEAR_RESUME),
        row(Course.REBUILD, Call.SUSPEND),
        row(Course.REBUILD, Call.DELETE_POD),
        row(Course.REBUILD, Call.LIVE_PODS),
        row(Course.REBUILD, Call.START_INSPECTOR),
        row(Course.REBUILD, Call.INSPECT),
        row(Course.REBUILD, Call.STOP_INSPECTOR),
        row(Course.REBUILD, Call.RESUME),
        row(Course.FAILED, Call.REVIVE),
        row(Course.OBSERVED, Call.EXISTS),
        row(Course.OLD, Call.REMOVE),
        row(Course.TRACKED, Call.START_TRACKER),
        row(Course.TRACKED, Call.TRACKER),
        row(Course.QUEUED, Call.HOLD_QUEUE),
        row(Course.ACTIVATED, Call.UNMARK_WORKLOAD));
  }

  private static Arguments row(Course course, Call call) {
    return argumentSet(call + " " + course, course, call);
  }

  @Test
  void shouldHaveARowForEachCallOfAJob() {
    Set<Object> rows = rows().map(a -> a.get()[1]).collect(Collectors.toSet());
    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Call.values())
                .filter(call -> !call.ofNodes() && !WITHOUT_ROW.contains(call))
                .toList());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldRecoverTheOtherJobInTime(Course course, Call call) {
    assertThat(recovers(course, call, Reconcilers.REAL)).as("recovered within " + BOUND).isTrue();
  }

  /** A row that this controller passes would say nothing. */
  @ParameterizedTest
  @MethodSource("rows")
  void shouldCatchAControllerThatKeepsTheOtherJobWaiting(Course course, Call call) {
    assertThat(recovers(course, call, SharedCircuits.oneForAllJobs())).isFalse();
  }

  /** Kueue admits no job of a held queue; that is said, and continues by itself. */
  @Test
  void shouldHoldTheOtherJobOfAQueueThatCannotBeReleasedUntilItCan() {
    try (Simulation simulation = Simulation.of(Course.QUEUED.setup())) {
      simulation.runFor(Duration.ofSeconds(20));
      Instant end = simulation.now().plus(Duration.ofMinutes(8));
      simulation
          .fleet()
          .answers()
          .add(new Answer(Set.of(Call.RELEASE_QUEUE), null, 403, "no", Duration.ZERO, end));
      lose(simulation, REFUSED);
      simulation.runFor(Duration.ofMinutes(1));
      lose(simulation, OTHER);
      simulation.runFor(Duration.ofMinutes(3));
      assertThat(simulation.recoveries(OTHER))
          .singleElement()
          .satisfies(r -> assertThat(r.status()).asString().contains("NotAdmitted"));

      simulation.runFor(Duration.between(simulation.now(), end));
      assertThat(simulation.runUntil(() -> isRecovered(simulation, OTHER), BOUND.multipliedBy(2)))
          .isTrue();
    }
  }

  private static boolean recovers(Course course, Call call, Reconcilers.Factory controller) {
    boolean[] refused = new boolean[1];
    WriteObserver asked =
        new WriteObserver() {
          @Override
          public void called(Call made, @Nullable JobKey job) {
            refused[0] |= made == call && REFUSED.equals(job);
          }
        };
    try (Simulation simulation = Simulation.of(course.setup(), controller, asked)) {
      simulation.runFor(Duration.ofSeconds(20));
      course.play(simulation);
      simulation
          .fleet()
          .answers()
          .add(new Answer(Set.of(call), REFUSED, 403, "no", Duration.ZERO, null));
      assertThat(simulation.runUntil(() -> refused[0], ASKED)).as("the call is made").isTrue();

      lose(simulation, OTHER);
      boolean done = simulation.runUntil(() -> isRecovered(simulation, OTHER), BOUND);

      assertThat(simulation.fleet().failures()).isEmpty();
      return done;
    }
  }

  private static void rebuild(Simulation simulation) {
    simulation.levers().nodeDies(node(simulation, REFUSED));
    assertThat(simulation.runUntil(() -> isRecovered(simulation, REFUSED), ASKED)).isTrue();
    simulation.runFor(Duration.ofSeconds(30));
  }

  private static void lose(Simulation simulation, JobKey job) {
    simulation.levers().gpuLost(node(simulation, job));
  }

  private static String node(Simulation simulation, JobKey job) {
    return simulation.pods(job).getFirst().node();
  }

  private static boolean isRecovered(Simulation simulation, JobKey job) {
    return simulation.recoveries(job).stream()
        .map(RecoveryView::status)
        .anyMatch(s -> Objects.nonNull(s) && s.phase() == RecoveryPhase.RECOVERED);
  }

  private static RecoveryObject ended(Simulation simulation, int number, Instant then) {
    String uid = simulation.job(REFUSED).uid();
    return new RecoveryObject(
        Meta.draft(REFUSED.namespace(), REFUSED.name() + "-r" + number, ""),
        new RecoverySpec(JobRef.pyTorchJob(REFUSED.name(), uid), then, null),
        new RecoveryStatus(
            RecoveryPhase.CANCELLED, then, 1, null, null, null, null, List.of(), List.of(), null));
  }
}
