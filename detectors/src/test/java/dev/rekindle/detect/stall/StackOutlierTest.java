package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A letter of a row is a rank: where its main thread stands. */
class StackOutlierTest {
  private static final Frame MAIN = new Frame("main", "train.py", 120);

  private static List<Frame> stack(char where) {
    return switch (where) {
      case 'A' ->
          List.of(
              new Frame("all_reduce", "torch/distributed/distributed_c10d.py", 2806),
              new Frame("wrapper", "torch/distributed/c10d_logger.py", 83),
              MAIN);
      case 'B' ->
          List.of(new Frame("barrier", "torch/distributed/distributed_c10d.py", 4600), MAIN);
      case 'W' -> List.of(new Frame("_engine_run_backward", "torch/autograd/graph.py", 829), MAIN);
      case 'L' ->
          List.of(
              new Frame("__getitem__", "dataset.py", 12),
              new Frame("_next_data", "torch/utils/data/dataloader.py", 733),
              MAIN);
      case 'S' -> List.of(new Frame("save", "torch/serialization.py", 944), MAIN);
      case 'Q' -> List.of(new Frame("wait", "threading.py", 327), MAIN);
      case 'P' -> List.of(new Frame("get", "multiprocessing/queues.py", 103), MAIN);
      case 'I' -> List.of(new Frame("train", "train.py", 88), MAIN);
      case 'U' -> List.of(new Frame("augment", "train.py", 41), MAIN);
      case 'V' -> List.of(new Frame("tokenize", "train.py", 52), MAIN);
      default -> List.of();
    };
  }

  private static Map<Integer, List<Frame>> stacks(String ranks) {
    Map<Integer, List<Frame>> stacks = new TreeMap<>();
    for (int rank = 0; rank < ranks.length(); rank++) {
      stacks.put(rank, stack(ranks.charAt(rank)));
    }
    return stacks;
  }

  private static Outlier of(String ranks) {
    return StackOutlier.of(stacks(ranks), ranks.length());
  }

  @ParameterizedTest
  @CsvSource({
    // a data loader, a file, a lock or a queue while peers wait in collectives, of any kind
    "AAL, 2, MEDIUM",
    "SAA, 0, MEDIUM",
    "AQA, 1, MEDIUM",
    "ABWP, 3, MEDIUM",
    // peers that all need a result of the device at one place: NCCL returns at once
    "IIIL, 3, MEDIUM",
    "ILI, 1, MEDIUM",
    // elsewhere, and no more is known
    "AAAU, 3, LOW",
    "AAU, 2, LOW",
    "IIU, 2, LOW",
    "AUBA, 1, LOW",
    "IIIIU, 4, LOW",
  })
  void shouldSingleOut(String ranks, int rank, Confidence confidence) {
    var outlier = of(ranks);
    assertThat(outlier.ranks()).containsExactly(rank);
    assertThat(outlier.confidence()).isEqualTo(confidence);
    assertThat(outlier.reason()).contains(stack(ranks.charAt(rank)).getFirst().toString());
  }

  @Test
  void shouldSingleOutSeveralThatLoad() {
    assertThat(of("AALLA").ranks()).containsExactly(2, 3);
    assertThat(of("AAAAAAAAAAAAAAUU").ranks()).containsExactly(14, 15);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // they wait for each other: whose call is wrong stacks do not show
        "AAAB",
        "IIIA",
        // all do the same, and each something else
        "AAAA",
        "LLLL",
        "UVIL",
        // as many load as wait, or more
        "AL",
        "AALL",
        "LLA",
        // two that wait for the host's result at different places: which of them is right?
        "IUL",
        "IIUL",
        // of two, the one that differs may be the one that waits
        "AU",
        // a rank that moves, or could not be read
        "AAA-L",
        "III-U",
        // more than a few
        "AAAAUU",
      })
  void shouldSingleOutNone(String ranks) {
    assertThat(of(ranks).ranks()).isEmpty();
  }

  @Test
  void shouldSingleOutNoneWhereRanksAreMissing() {
    assertThat(StackOutlier.of(stacks("AAL"), 4).ranks()).isEmpty();
    assertThat(StackOutlier.of(stacks("AAL"), 0).ranks()).isEmpty();
    assertThat(StackOutlier.of(Map.of(), 0).evidence()).isEmpty();
  }

  @Test
  void shouldShowWhereMostAreAndWhereFewAre() {
    assertThat(of("AALA").evidence())
        .containsExactly(
            "ranks 0, 1, 3: main thread in all_reduce (torch/distributed/distributed_c10d.py:2806)"
                + " < wrapper (torch/distributed/c10d_logger.py:83) < main (train.py:120)",
            "rank 2: main thread in __getitem__ (dataset.py:12)"
                + " < _next_data (torch/utils/data/dataloader.py:733) < main (train.py:120)");
    assertThat(of("ABWLSQPIUV").evidence()).hasSize(3);
  }

  /** A backward pass is some frames deep: what calls it is what a person knows. */
  @Test
  void shouldShowTheInnermostFrameOfTheScriptAsWell() {
    var deep =
        List.of(
            new Frame("_engine_run_backward", "torch/autograd/graph.py", 829),
            new Frame("backward", "torch/autograd/__init__.py", 347),
            new Frame("Tensor.backward", "torch/_tensor.py", 581),
            new Frame("fit", "torch/x.py", 1),
            MAIN,
            new Frame("<module>", "train.py", 130));
    assertThat(StackOutlier.shown(deep))
        .isEqualTo(
            "_engine_run_backward (torch/autograd/graph.py:829)"
                + " < backward (torch/autograd/__init__.py:347)"
                + " < Tensor.backward (torch/_tensor.py:581) < ... < main (train.py:120)");
  }
}
