package dev.rekindle.testbed.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.testbed.scale.Milestones.Part;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MilestonesTest {
  private static final Instant BEGAN = Instant.parse("2026-11-21T12:00:00Z");

  private final Milestones moments = new Milestones();

  private void at(Milestone moment, long millis) {
    moments.first(moment, BEGAN.plusMillis(millis));
  }

  private void inPlace() {
    at(Milestone.FAULT, 0);
    at(Milestone.FREEZE_ORDERED, 100);
    at(Milestone.FROZEN, 600);
    at(Milestone.DELETED, 610);
    at(Milestone.PLACED, 900);
    at(Milestone.LEADER_ORDERED, 950);
    at(Milestone.LEADER_DEAD, 1_000);
    at(Milestone.ALL_ORDERED, 1_020);
    at(Milestone.REPLACED, 1_900);
    at(Milestone.RESTARTED, 3_000);
    at(Milestone.TRAINING, 3_200);
    at(Milestone.RECOVERED, 3_250);
  }

  private double own() {
    return moments.parts().stream().filter(Part::own).mapToDouble(Part::seconds).sum();
  }

  private double total() {
    return moments.parts().stream().mapToDouble(Part::seconds).sum();
  }

  @Test
  void shouldCountAsTheControllersOnlyWhatItAloneHadToDo() {
    inPlace();

    assertThat(own()).isCloseTo(0.1 + 0.01 + 0.05 + 0.02 + 0.05, within(1e-9));
    assertThat(total()).isCloseTo(3.25, within(1e-9));
  }

  @Test
  void shouldLeaveNoTimeOutWhenNoLeaderWasLeftToRestart() {
    at(Milestone.FAULT, 0);
    at(Milestone.FREEZE_ORDERED, 100);
    at(Milestone.FROZEN, 600);
    at(Milestone.DELETED, 610);
    at(Milestone.PLACED, 900);
    at(Milestone.ALL_ORDERED, 950);
    at(Milestone.RESTARTED, 2_000);
    at(Milestone.TRAINING, 2_100);
    at(Milestone.RECOVERED, 2_200);

    assertThat(total()).isCloseTo(2.2, within(1e-9));
  }

  @Test
  void shouldNotBlameTheControllerForAReplacementThatStartsLate() {
    inPlace();
    moments.last(Milestone.REPLACED, BEGAN.plusMillis(5_000));
    moments.last(Milestone.RECOVERED, BEGAN.plusMillis(5_040));

    assertThat(moments.parts()).contains(new Part("verify", true, 0.04));
    assertThat(total()).isCloseTo(5.04, within(1e-9));
  }

  @Test
  void shouldKnowARebuildByTheSuspension() {
    inPlace();
    at(Milestone.SUSPENDED, 700);
    at(Milestone.DRAINED, 1_700);
    at(Milestone.RESUMED, 1_800);
    at(Milestone.RUNNING, 3_100);

    assertThat(moments.parts())
        .containsExactly(
            new Part("fence and suspend", true, 0.7),
            new Part("drain", false, 1.0),
            new Part("plan", true, 0.1),
            new Part("create", false, 1.3),
            new Part("first report", false, 0.1),
            new Part("verify", true, 0.05));
  }

  @Test
  void shouldCountTheWritesThatWereAnsweredWell() {
    var before =
        Requests.of(
            """
            # TYPE apiserver_request_total counter
            apiserver_request_total{code="201",resource="restartreports",subresource="",verb="POST"} 3
            """);
    var after =
        Requests.of(
            """
            apiserver_request_total{code="201",resource="restartreports",subresource="",verb="POST"} 7
            apiserver_request_total{code="409",resource="restartreports",subresource="",verb="POST"} 2
            apiserver_request_total{code="200",resource="pods",subresource="status",verb="PATCH"} 4
            apiserver_request_total{code="200",resource="pods",subresource="",verb="LIST"} 9
            """);

    assertThat(after.since(before))
        .isEqualTo(Map.of("POST restartreports", 4L, "PATCH pods/status", 4L));
  }
}
