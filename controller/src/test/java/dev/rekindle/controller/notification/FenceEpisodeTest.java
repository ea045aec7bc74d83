package dev.rekindle.controller.notification;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FenceEpisodeTest {
  private static final Duration AGE = Duration.ofHours(6);
  private static final Instant LATER = T0.plusSeconds(60);

  private static NodeView fenced(String name, String uid) {
    return Given.node(name, NodeView.Readiness.READY, T0, true, "team/r-1").withUid(uid);
  }

  private static NodeView free(String name, String uid) {
    return Given.node(name).withUid(uid);
  }

  private static List<FenceEpisode> after(
      List<FenceEpisode> known, Instant now, NodeView... nodes) {
    return FenceEpisode.next(known, List.of(nodes), now, AGE);
  }

  private static List<String> said(List<FenceEpisode> fences) {
    return fences.stream()
        .flatMap(f -> f.notifications(T0.minusSeconds(1)).stream())
        .map(n -> n.type().word() + " " + n.id())
        .toList();
  }

  @Test
  void shouldSayThatANodeIsFencedAndThenReleased() {
    List<FenceEpisode> first = after(List.of(), T0, fenced("node-1", "a"), free("node-2", "b"));
    List<FenceEpisode> still = after(first, LATER, fenced("node-1", "a"));
    List<FenceEpisode> gone = after(still, LATER, free("node-1", "a"));

    assertThat(said(first)).hasSize(1).first().asString().startsWith("nodeFenced a_k");
    assertThat(still).isEqualTo(first);
    assertThat(said(gone)).hasSize(2).startsWith(said(first).getFirst());
    assertThat(gone.getFirst().until()).isEqualTo(LATER);
  }

  @Test
  void shouldTakeAnotherNodeOfTheNameForAnotherNode() {
    List<FenceEpisode> first = after(List.of(), T0, fenced("node-1", "a"));

    List<FenceEpisode> next = after(first, LATER, fenced("node-1", "b"));

    assertThat(next).extracting(FenceEpisode::nodeUid).containsExactly("a", "b");
    assertThat(next).extracting(FenceEpisode::until).containsExactly(LATER, null);
  }

  @Test
  void shouldSayThatANodeThatIsGoneIsFencedNoMore() {
    List<FenceEpisode> next = after(after(List.of(), T0, fenced("node-1", "a")), LATER);

    assertThat(said(next)).hasSize(2);
  }

  @Test
  void shouldForgetAFenceThatIsLongOver() {
    List<FenceEpisode> over = after(after(List.of(), T0, fenced("node-1", "a")), LATER);

    assertThat(after(over, LATER.plus(AGE).minusSeconds(1))).hasSize(1);
    assertThat(after(over, LATER.plus(AGE))).isEmpty();
  }

  @Test
  void shouldFenceTheSameNodeUnderAnotherIdentityTheNextTime() {
    List<FenceEpisode> over = after(after(List.of(), T0, fenced("node-1", "a")), LATER);

    List<FenceEpisode> again = after(over, LATER.plusSeconds(1), fenced("node-1", "a"));

    assertThat(said(again)).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void shouldKeepABoundedNumber() {
    NodeView[] nodes =
        IntStream.range(0, FenceEpisode.MOST + 10)
            .mapToObj(i -> fenced("node-" + i, "uid-" + i))
            .toArray(NodeView[]::new);
    List<FenceEpisode> known = new ArrayList<>();
    known.add(new FenceEpisode("old", "old", "team/r", T0, T0));

    List<FenceEpisode> next = after(known, LATER, nodes);

    assertThat(next).hasSize(FenceEpisode.MOST).noneMatch(f -> f.node().equals("old"));
  }
}
