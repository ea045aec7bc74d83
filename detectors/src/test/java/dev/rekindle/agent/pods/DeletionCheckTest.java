package dev.rekindle.agent.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.pods.DeletionCheck.Answer;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeletionCheckTest {
  private final List<TrainingPod> left = new ArrayList<>();
  private final List<TrainingPod> seen = new ArrayList<>();
  private final Map<String, Answer> answers = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final DeletionCheck check =
      new DeletionCheck(
          () -> {
            var all = List.copyOf(left);
            left.clear();
            return all;
          },
          () -> List.copyOf(seen),
          pod -> {
            asked.add(pod.name());
            if (pod.name().startsWith("nonsense")) {
              throw new IllegalArgumentException("thrown by the test");
            }
            return answers.getOrDefault(pod.name(), Answer.NONE);
          },
          SteadyClock.over(() -> now));

  private static TrainingPod pod(String name) {
    return pod("team", name);
  }

  private static TrainingPod pod(String namespace, String name) {
    return new TrainingPod(
        namespace,
        name,
        name + "-uid",
        "job",
        "job-uid",
        Instant.EPOCH,
        false,
        false,
        new TrainingContainer("c-" + name, 0, true),
        Set.of());
  }

  @Test
  void shouldGiveAPodOnceThatTheApiServerSaysIsGone() {
    left.add(pod("w0"));
    answers.put("w0", Answer.GONE);

    assertThat(check.take()).containsExactly(pod("w0"));
    assertThat(check.there()).isEmpty();
    assertThat(check.take()).isEmpty();
    assertThat(asked).hasSize(1);
  }

  /** Who may create pods can name the node in thousands, and delete them before they start. */
  @Test
  void shouldNotAskAboutPodsThatNeverRanHereInThePlaceOfOneThatDid() {
    for (int i = 0; i < 1_000; i++) {
      left.add(
          new TrainingPod(
              "other",
              "crowd-" + i,
              "uid-" + i,
              "job",
              "",
              Instant.EPOCH,
              true,
              true,
              TrainingContainer.NONE,
              Set.of()));
    }
    left.add(pod("w0"));
    answers.put("w0", Answer.GONE);

    assertThat(check.take()).containsExactly(pod("w0"));
    assertThat(asked).containsExactly("w0");
  }

  /** A user who may edit a pod may take its label off; a refusal is no answer either. */
  @ParameterizedTest
  @EnumSource(
      value = Answer.class,
      names = {"THERE", "NONE"})
  void shouldHoldAPodForThereUntilTheApiServerSaysThatItIsGone(Answer answer) {
    left.add(pod("w0"));
    answers.put("w0", answer);
    for (int second = 0; second < 600; second++) {
      assertThat(check.take()).isEmpty();
      assertThat(check.there()).containsExactly(pod("w0"));
      now = now.plusSeconds(1);
    }
    assertThat(asked).as("asked more and more seldom").hasSizeBetween(10, 20);

    answers.put("w0", Answer.GONE);
    now = now.plus(Duration.ofMinutes(1));
    assertThat(check.take()).containsExactly(pod("w0"));
  }

  @Test
  void shouldForgetItWhenTheWatchShowsItAgain() {
    left.add(pod("w0"));
    answers.put("w0", Answer.THERE);
    check.take();
    seen.add(pod("w0"));
    now = now.plus(Duration.ofMinutes(2));
    answers.put("w0", Answer.GONE);

    assertThat(check.take()).isEmpty();
    assertThat(check.there()).containsExactly(pod("w0"));
  }

  @Test
  void shouldAskOnceASecondWhileNothingIsAnswered() {
    for (int i = 0; i < 50; i++) {
      left.add(pod("w" + i));
    }
    check.take();
    check.take();
    assertThat(asked).hasSize(1);
    assertThat(check.there()).hasSize(50);
    now = now.plusSeconds(1);
    check.take();
    assertThat(asked).hasSize(2);
  }

  /** Who may edit pods can take the label off hundreds that ran here, and keep them. */
  @Test
  void shouldAskAboutAPodHoweverManyOfAnotherNamespaceHaveLostTheirLabel() {
    for (int i = 0; i < 1_000; i++) {
      left.add(pod("other", "kept-" + i));
      answers.put("kept-" + i, Answer.THERE);
    }
    check.take();
    left.add(pod("w0"));
    answers.put("w0", Answer.GONE);

    assertThat(check.take()).containsExactly(pod("w0"));
    assertThat(check.there()).hasSizeLessThanOrEqualTo(DeletionCheck.MOST);
  }

  /** With its namespace goes the right to read it, where namespaces are named in the values. */
  @ParameterizedTest
  @EnumSource(
      value = Answer.class,
      names = {"NONE", "REFUSED"})
  void shouldAskAboutOthersWhileNothingIsSaidOfOne(Answer answer) {
    left.add(pod("deleted", "d0"));
    left.add(pod("deleted", "d1"));
    left.add(pod("w0"));
    answers.put("d0", answer);
    answers.put("d1", answer);
    answers.put("w0", Answer.GONE);
    List<TrainingPod> gone = new ArrayList<>();
    for (int second = 0; second < 10; second++) {
      gone.addAll(check.take());
      now = now.plusSeconds(1);
    }
    assertThat(gone).containsExactly(pod("w0"));
  }

  /** What else the round does must be done: it thaws what is frozen. */
  @Test
  void shouldTakeAnAnswerThatMakesNoSenseForNone() {
    left.add(pod("nonsense"));
    left.add(pod("w0"));
    answers.put("w0", Answer.GONE);
    assertThat(check.take()).isEmpty();
    now = now.plusSeconds(1);
    assertThat(check.take()).containsExactly(pod("w0"));
    assertThat(check.there()).containsExactly(pod("nonsense"));
  }
}
