package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.controller.recovery.RestartChoice.Choice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RestartChoiceTest {
  private static final Instant NOW = InPlaceScene.NOW;

  @Test
  void shouldKeepThePodsOfAGangThatAllAgentsAnswerFor() {
    Choice choice = choose(new InPlaceScene());

    assertThat(choice.way()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(choice.reason()).contains("2 of 3 pods");
  }

  static Stream<Arguments> obstacles() {
    return Stream.of(
        argumentSet(
            "kubelets start nothing again",
            change(s -> s.job(job().restart(RestartPolicy.NEVER))),
            "restart policy"),
        argumentSet(
            "ExitCode",
            change(s -> s.job(job().restart(RestartPolicy.EXIT_CODE))),
            "restart policy"),
        argumentSet(
            "failed for good", change(s -> s.job(job().failed(T0, "worker failed"))), "failed"),
        argumentSet(
            "given a checkpoint before",
            change(s -> s.job(job().attempt("demo-r1-1").injection(ResumeInjection.BY_VALUE))),
            "environment names the checkpoint"),
        argumentSet(
            "its template was written anew since",
            change(
                s ->
                    s.job(job().injection(ResumeInjection.NOTHING))
                        .pods(gang("").stream().map(p -> p.withResumeFrom("/ckpt/1.pt")).toList())),
            "pod demo-master-0 names the checkpoint of an earlier attempt"),
        argumentSet("to go back", change(s -> s.before(30)), "from before step 30"),
        argumentSet("suspended", change(s -> s.job(job().suspended("demo-r1", true))), "suspended"),
        argumentSet(
            "restarts are counted", change(s -> s.job(job().backoffLimit(2))), "backoffLimit of 2"),
        argumentSet("second attempt", change(s -> s.attempt(2)), "attempt 2"),
        argumentSet("a pod is missing", change(s -> s.pods(gang("").subList(0, 2))), "not whole"),
        argumentSet(
            "a pod waits for a place",
            change(s -> s.pods(with(0, Given::unplaced))),
            "does not run"),
        argumentSet(
            "a node is silent",
            change(s -> s.node(node("node-2", Readiness.SILENT, T0, false, ""))),
            "node-2 does not answer"),
        argumentSet(
            "another machine came under the name of a node",
            change(s -> s.node(node("node-2").withCreated(NOW))),
            "pod demo-worker-1 is older than node node-2"),
        argumentSet(
            "an agent is silent", change(s -> s.unheard("node-0")), "no agent on node node-0"),
        argumentSet(
            "every node is faulty",
            change(
                s ->
                    s.faulty(
                        fault("node-0", "XID-79", FenceGuidance.ALWAYS),
                        fault("node-1", "XID-79", FenceGuidance.ALWAYS),
                        fault("node-2", "XID-79", FenceGuidance.ALWAYS))),
            "no pod of it is on a fit node"));
  }

  @Test
  void shouldKeepThePodsOfAGangThatTakesANewCheckpoint() {
    InPlaceScene rebuiltBefore =
        new InPlaceScene().job(job().attempt("demo-r1-1").injection(ResumeInjection.BY_ANNOTATION));

    assertThat(choose(rebuiltBefore).way()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(choose(rebuiltBefore.before(30)).reason())
        .as("a replacement is made before anything is pinned")
        .contains("not every container");
    assertThat(choose(rebuiltBefore.faulty()).way()).isEqualTo(RestartWay.IN_PLACE);
  }

  @Test
  void shouldKeepThePodsOfAGangFarFromItsBackoffLimit() {
    assertThat(choose(new InPlaceScene().job(job().backoffLimit(3))).way())
        .isEqualTo(RestartWay.IN_PLACE);
  }

  @ParameterizedTest
  @MethodSource("obstacles")
  void shouldRebuildWhereSomethingStandsInTheWay(UnaryOperator<InPlaceScene> change, String why) {
    Choice choice = choose(change.apply(new InPlaceScene()));

    assertThat(choice.way()).isEqualTo(RestartWay.REBUILD);
    assertThat(choice.reason()).contains(why);
  }

  @ParameterizedTest
  @CsvSource({"2, 30, IN_PLACE", "2, 31, REBUILD", "799, 38, IN_PLACE", "799, 39, REBUILD"})
  void shouldHearTheAgentsOfABigGangForLonger(int workers, long secondsAgo, RestartWay way) {
    List<PodView> pods = Given.bigGang(workers);
    List<RankView> ranks =
        pods.stream().map(p -> Given.rank(p, 42L, T0, NOW.minusSeconds(secondsAgo))).toList();
    InPlaceScene scene = new InPlaceScene().job(job().workers(workers)).pods(pods).ranks(ranks);

    assertThat(choose(scene).way()).isEqualTo(way);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0", // never ended
    "1, 30, 10", // the first restart was immediate, the next one waits
    "2, 30, 20",
    "3, 30, 40",
    "9, 30, 300", // five minutes at most
    "3, 601, 0" // forgotten
  })
  void shouldKnowTheBackOffOfTheKubelet(int restarts, long secondsAgo, long wait) {
    PodView pod = gang("").getFirst();
    for (int i = 0; i < restarts; i++) {
      pod = Given.restarted(pod, NOW.minusSeconds(secondsAgo));
    }

    assertThat(RestartChoice.backoff(pod, NOW)).isEqualTo(Duration.ofSeconds(wait));
  }

  @Test
  void shouldRebuildASmallGangWhoseContainersEndedLately() {
    InPlaceScene scene = new InPlaceScene().pods(with(0, p -> Given.restarted(p, NOW)));

    assertThat(choose(scene).way()).isEqualTo(RestartWay.REBUILD);
    assertThat(choose(scene).reason()).contains("would wait 10 s");
  }

  @Test
  void shouldDoAsThePolicyAsksAndTheJobBeforeIt() {
    InPlaceScene lately = new InPlaceScene().pods(with(0, p -> Given.restarted(p, NOW)));

    assertThat(choose(new InPlaceScene(), "rebuild").way()).isEqualTo(RestartWay.REBUILD);
    assertThat(choose(lately, "inPlace").way()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(choose(lately.job(job().restartMode(RestartMode.REBUILD)), "inPlace").way())
        .isEqualTo(RestartWay.REBUILD);
  }

  private static UnaryOperator<InPlaceScene> change(UnaryOperator<InPlaceScene> change) {
    return change;
  }

  private static List<PodView> with(int index, UnaryOperator<PodView> change) {
    List<PodView> pods = new ArrayList<>(gang(""));
    pods.set(index, change.apply(pods.get(index)));
    return pods;
  }

  private static Choice choose(InPlaceScene scene) {
    return choose(scene, "auto");
  }

  private static Choice choose(InPlaceScene scene, String mode) {
    RecoverySnapshot snapshot = scene.snapshot();
    return RestartChoice.choose(
        snapshot, java.util.Objects.requireNonNull(snapshot.job()), policy(mode), NOW);
  }

  private static Policy policy(String mode) {
    return Policies.ofYaml("restart: {strategy: %s}".formatted(mode));
  }
}
