package dev.rekindle.controller.checkpoint;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the scans of several nodes say together. */
class NodeScansTest {
  private static Checkpoint copy(long step, String verdict, Instant at) {
    return new Checkpoint(
        "/ckpt/step-%d.pt".formatted(step), step, 100, at, verdict, "L3", "why", "torch-save", 0);
  }

  /** Written in the order of steps, a minute each, a little later on the second node. */
  private static Checkpoint whole(long step, String node) {
    return copy(step, "Valid", T0.plusSeconds(step * 60 + (node.equals("a") ? 0 : 3)));
  }

  private static Checkpoint part(long step, int rank, String verdict, Instant at) {
    String dirty = verdict.equals("Torn") ? ".dirty" : "";
    return new Checkpoint(
        "/ckpt/s/%d/iter_%07d_%d_local%s.pt".formatted(rank, step, rank, dirty),
        step,
        10,
        at,
        verdict,
        verdict.equals("Torn") ? "L1" : "L3",
        "the part of rank %d is whole".formatted(rank),
        "nvrx-local",
        0);
  }

  private static Checkpoint part(long step, int rank) {
    return part(step, rank, "Unknown", T0.plusSeconds(step));
  }

  private static Report report(Checkpoint... checkpoints) {
    return new Report(7, List.of(checkpoints), "");
  }

  private static PinnedCheckpoint pin(Map<String, Report> scans, List<String> away, long gpus) {
    return CheckpointChoice.from(NodeScans.merge(3, scans, away, gpus));
  }

  private static PinnedCheckpoint pin(Report a, Report b) {
    return pin(Map.of("a", a, "b", b), List.of(), 0);
  }

  @Test
  void shouldTakeTheNewestThatIsCompleteOnEachNode() {
    PinnedCheckpoint pin =
        pin(report(whole(2, "a"), whole(1, "a")), report(whole(2, "b"), whole(1, "b")));

    assertThat(pin.step()).isEqualTo(2);
    assertThat(pin.level()).isEqualTo("L3");
    assertThat(pin.path()).isEqualTo("/ckpt/step-2.pt");
    assertThat(pin.nodes()).containsExactly("a", "b");
  }

  @Test
  void shouldPassOverWhatIsTornOnOneNode() {
    PinnedCheckpoint pin =
        pin(
            report(whole(2, "a"), whole(1, "a")),
            report(copy(2, "Torn", T0.plusSeconds(120)), whole(1, "b")));

    assertThat(pin.step()).isEqualTo(1);
    assertThat(pin.message()).contains("step 2 torn (on node b: why)");
  }

  @Test
  void shouldPassOverWhatOneNodeDoesNotHave() {
    PinnedCheckpoint pin = pin(report(whole(2, "a"), whole(1, "a")), report(whole(1, "b")));

    assertThat(pin.step()).isEqualTo(1);
    assertThat(pin.message()).contains("step 2 unknown (only 1 of 2 nodes have it: a)");
  }

  /** The script knows whether rank 0 loads for all. */
  @Test
  void shouldSayNothingWhereOneNodeAloneSaves() {
    PinnedCheckpoint pin = pin(report(whole(2, "a")), report());

    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin.message()).contains("only 1 of 2 nodes have it: a");
    assertThat(pin.nodes()).as("rank 0 is to find it").containsExactly("a");
  }

  /** What is torn there is none, and an older one is for those that have no newer one. */
  @Test
  void shouldNameTheNodesThatHaveTheNewestCompleteOne() {
    Report behind = report(copy(9, "Torn", T0.plusSeconds(540)), whole(1, "a"));
    Report newest = report(whole(2, "b"));
    List<String> none = List.of();

    assertThat(NodeScans.merge(3, Map.of("a", behind, "b", newest), none, 0).newest())
        .containsExactly("b");
    assertThat(NodeScans.merge(3, Map.of("a", behind), List.of("b"), 0).newest())
        .containsExactly("a");
    assertThat(NodeScans.merge(3, Map.of("a", report()), List.of("b"), 0).newest()).isEmpty();
    Report same = report(copy(2, "Valid", T0.plusNanos(123_456_789)));
    assertThat(NodeScans.merge(3, Map.of("a", same, "b", same), none, 0).newest())
        .as("shared")
        .isEmpty();
    assertThat(NodeScans.merge(3, Map.of("a", report(part(2, 0))), none, 0).newest())
        .as("fetched from wherever they are")
        .isEmpty();
  }

  @Test
  void shouldNotMixTwoSavesOfOneStep() {
    PinnedCheckpoint pin =
        pin(
            report(copy(2, "Valid", T0.plusSeconds(500)), whole(1, "a")),
            report(whole(2, "b"), whole(1, "b")));

    assertThat(pin.step()).isEqualTo(1);
    assertThat(pin.message()).contains("b wrote it 377 s before a: these may be two saves");
  }

  /** A job that went back from 2 saved 1 again, and one of its nodes 2 as well, within seconds. */
  @Test
  void shouldNotTakeWhatIsOlderThanALowerStep() {
    Instant anew = T0.plusSeconds(130);
    PinnedCheckpoint pin =
        pin(
            report(copy(2, "Valid", anew.plusSeconds(5)), copy(1, "Valid", anew)),
            report(whole(2, "b"), copy(1, "Valid", anew)));

    assertThat(pin.step()).isEqualTo(1);
    assertThat(pin.message()).contains("node b wrote step 1 after it");
  }

  @Test
  void shouldKnowASharedFileSystemByItsTimes() {
    Report same = report(copy(2, "Valid", T0.plusNanos(123_456_789)), whole(1, "a"));
    PinnedCheckpoint pin = pin(Map.of("a", same, "b", same), List.of("c"), 0);

    assertThat(pin.step()).isEqualTo(2);
    assertThat(pin.nodes()).isEmpty();
  }

  /** Times in whole seconds may be the same on two disks. */
  @Test
  void shouldNotTakeEqualTimesInSecondsForASharedFileSystem() {
    Report same = report(copy(2, "Valid", T0.plusSeconds(9)));

    assertThat(pin(Map.of("a", same, "b", same), List.of(), 0).nodes()).containsExactly("a", "b");
    assertThat(pin(Map.of("a", same, "b", same), List.of("c"), 0).verdict())
        .isEqualTo(CheckpointVerdict.UNKNOWN);
  }

  @Test
  void shouldSayNothingOfCopiesWhileANodeIsAway() {
    PinnedCheckpoint pin = pin(Map.of("a", report(whole(2, "a"))), List.of("b"), 0);

    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin.message()).contains("those of node b are out of reach");
  }

  /** Whatever the times of its files: others may have disks of their own. */
  @Test
  void shouldNotTakeTheFilesOfOneNodeForShared() {
    Report one = report(copy(2, "Valid", T0.plusNanos(123_456_789)));

    assertThat(pin(Map.of("a", one), List.of("b"), 0).verdict())
        .isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin(Map.of("a", one), List.of(), 0).nodes()).containsExactly("a");
  }

  /**
   * The guarantee, whatever nodes have: what is Valid is whole on each node that was inspected, and
   * none is away; or the same files, to the nanosecond, were seen on two nodes.
   */
  @Test
  void shouldCallOnlyThatValidWhichAllNodesHave() {
    Random random = new Random(3);
    int valid = 0;
    for (int i = 0; i < 5_000; i++) {
      Map<String, Report> scans = new TreeMap<>();
      boolean shared = random.nextInt(3) == 0;
      Report first = drawn(random, "a");
      for (String node : List.of("a", "b", "c").subList(0, 1 + random.nextInt(3))) {
        scans.put(node, shared ? first : drawn(random, node));
      }
      List<String> away = random.nextBoolean() ? List.of() : List.of("z");
      PinnedCheckpoint pin = pin(scans, away, 0);
      if (pin.verdict() != CheckpointVerdict.VALID) {
        continue;
      }
      valid++;
      assertThat(scans.values())
          .as("%s of %s", pin, scans)
          .allMatch(
              r ->
                  r.checkpoints().stream()
                      .anyMatch(c -> isWhole(c) && Objects.equals(pin.step(), c.step())));
      if (pin.nodes().isEmpty()) {
        assertThat(scans).hasSizeGreaterThan(1);
        assertThat(Set.copyOf(scans.values())).as("the same on all").hasSize(1);
      } else {
        assertThat(pin.nodes()).containsExactlyElementsOf(scans.keySet());
        assertThat(away).isEmpty();
      }
    }
    assertThat(valid).isGreaterThan(500);
  }

  private static boolean isWhole(Checkpoint checkpoint) {
    return checkpoint.verdict().equals("Valid");
  }

  private static Report drawn(Random random, String node) {
    return report(
        IntStream.of(3, 2, 1)
            .filter(_ -> random.nextInt(4) > 0)
            .mapToObj(
                step ->
                    copy(
                        step,
                        random.nextInt(4) > 0 ? "Valid" : "Torn",
                        T0.plusSeconds(step * 60L).plusNanos(1L + node.hashCode())))
            .toArray(Checkpoint[]::new));
  }

  @Test
  void shouldJudgeTheOneNodeOfAJobByItself() {
    PinnedCheckpoint pin = pin(Map.of("a", report(whole(2, "a"))), List.of(), 0);

    assertThat(pin.step()).isEqualTo(2);
    assertThat(pin.nodes()).containsExactly("a");
  }

  @Test
  void shouldNotTakeEmptyNodesForNoCheckpointWhileOneIsAway() {
    assertThat(pin(Map.of("a", report()), List.of("b"), 0).verdict())
        .isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin(Map.of("a", report()), List.of(), 0).verdict())
        .isEqualTo(CheckpointVerdict.NONE);
  }

  @Test
  void shouldSayWhichNodeCannotBeRead() {
    PinnedCheckpoint pin = pin(report(whole(2, "a")), new Report(1, List.of(), "it is no folder"));

    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin.message()).contains("on node b: it is no folder");
  }

  @Test
  void shouldMakeOneCheckpointOfThePartsOfAllRanks() {
    PinnedCheckpoint pin =
        pin(
            report(part(20, 0), part(20, 1), part(10, 0), part(10, 1)),
            report(part(20, 2), part(10, 2)));

    assertThat(pin.step()).isEqualTo(20);
    assertThat(pin.path()).isEqualTo("/ckpt/s");
    assertThat(pin.format()).isEqualTo("nvrx-local");
    assertThat(pin.nodes()).containsExactly("a", "b");
  }

  @Test
  void shouldPassOverAnIterationOfWhichOneRankDidNotFinish() {
    PinnedCheckpoint pin =
        pin(
            report(part(20, 0), part(10, 0)),
            report(part(20, 1, "Torn", T0.plusSeconds(20)), part(10, 1)));

    assertThat(pin.step()).isEqualTo(10);
    assertThat(pin.message()).contains("step 20 torn (rank 1 on node b: the part of rank 1");
  }

  /** A complete copy on another node counts for a rank whose own part was cut off. */
  @Test
  void shouldTakeTheCompleteCopyOfARankWhoseOwnPartIsTorn() {
    PinnedCheckpoint pin =
        pin(
            report(part(20, 0), part(20, 1)),
            report(part(20, 0), part(20, 1, "Torn", T0.plusSeconds(20))));

    assertThat(pin.step()).isEqualTo(20);
  }

  /** The ranks of a node that is away are known by the GPUs alone. */
  @ParameterizedTest
  @CsvSource({
    "0, Unknown, it is not known how many ranks there are",
    "4, Unknown, 'no whole part of rank 2, 3 on any inspected node'",
    "1, Unknown, it is not known how many ranks there are",
    "2, Valid, newest of 1",
  })
  void shouldCountRanksByGpusWhereANodeIsAway(long gpus, String verdict, String message) {
    PinnedCheckpoint pin = pin(Map.of("a", report(part(20, 0), part(20, 1))), List.of("b"), gpus);

    assertThat(pin.verdict().toString()).isEqualToIgnoringCase(verdict);
    assertThat(pin.message()).contains(message);
  }

  /** All nodes are there, but the one with the last ranks has lost its disk. */
  @Test
  void shouldNotCountRanksByWhatIsLeft() {
    PinnedCheckpoint pin = pin(report(part(20, 0), part(20, 1)), report());

    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin.message()).contains("not known how many ranks");
  }

  @Test
  void shouldNotMixPartsOfTwoSaves() {
    PinnedCheckpoint pin =
        pin(
            report(part(20, 0)),
            report(
                part(20, 1, "Unknown", T0.plusSeconds(20).plus(NodeScans.APART.multipliedBy(2)))));

    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin.message()).contains("these may be two saves");
  }

  /** A job that began anew has come as far as step 10; of step 20 there is what it had before. */
  @Test
  void shouldNotTakePartsThatAreOlderThanThoseOfALowerStep() {
    PinnedCheckpoint pin =
        pin(
            report(part(20, 0), part(10, 0, "Unknown", T0.plusSeconds(40))),
            report(part(20, 1), part(10, 1, "Unknown", T0.plusSeconds(41))));

    assertThat(pin.step()).isEqualTo(10);
    assertThat(pin.message())
        .contains(
            "step 20 unknown (node a wrote step 10 after it: it may be of an earlier course)");
  }

  /** What a job with three ranks has left of step 10 says nothing of what it saves with two. */
  @Test
  void shouldCountTheRanksOfEachIterationByItself() {
    PinnedCheckpoint pin =
        pin(
            Map.of(
                "a",
                report(part(20, 0), part(10, 0)),
                "b",
                report(part(20, 1), part(10, 1), part(10, 2))),
            List.of(),
            2);

    assertThat(pin.step()).isEqualTo(20);
  }

  /** Rank 1 keeps a copy of the part of rank 0 where rank 0 was in an earlier course. */
  @Test
  void shouldNotOverlookAPartOfWhichTheSameNodeHasANewerCopy() {
    Instant later = T0.plusSeconds(20).plus(NodeScans.APART.multipliedBy(2));
    Checkpoint copy = part(20, 0, "Unknown", later);
    Checkpoint inFolderOfOne =
        new Checkpoint(
            "/ckpt/s/1/iter_0000020_0_local.pt",
            copy.step(),
            copy.bytes(),
            later,
            copy.verdict(),
            copy.level(),
            copy.reason(),
            copy.format(),
            0);

    PinnedCheckpoint pin =
        pin(report(part(20, 0), inFolderOfOne), report(part(20, 1, "Unknown", later)));

    assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN);
    assertThat(pin.message()).contains("these may be two saves");
  }
}
