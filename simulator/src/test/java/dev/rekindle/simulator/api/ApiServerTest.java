package dev.rekindle.simulator.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The garbage collector. */
class ApiServerTest {
  private final Loop loop = new Loop();
  private final ApiServer api = new ApiServer(loop);
  private final Collection<Thing> jobs = api.install("jobs");
  private final Collection<Thing> pods = api.install(new Kind<Thing>("pods", Map.of(), _ -> 30L));
  private final Collection<Thing> reports = api.install("reports");

  @Test
  void shouldDeleteWhatAnOwnerOwnsSoonAfterItAndNothingElse() {
    Thing job = jobs.create(Thing.named("job"));
    Thing other = jobs.create(Thing.named("other"));
    pods.create(Thing.named("mine").ownedBy(job.meta().uid()));
    pods.create(Thing.named("others").ownedBy(other.meta().uid()));
    pods.create(Thing.named("nobodys"));

    jobs.delete("team/job", "", null);

    assertThat(pods.get("team/mine").meta().terminating()).as("at once").isFalse();
    runFor(Duration.ofSeconds(1));
    assertThat(pods.get("team/mine").meta().terminating()).isTrue();
    assertThat(pods.get("team/mine").meta().deletionGrace()).isEqualTo(30);
    assertThat(pods.get("team/others").meta().terminating()).isFalse();
    assertThat(pods.get("team/nobodys").meta().terminating()).isFalse();
  }

  @Test
  void shouldGoThroughGenerationsOfOwners() {
    Thing job = jobs.create(Thing.named("job"));
    Thing report = reports.create(Thing.named("report").ownedBy(job.meta().uid()));
    reports.create(Thing.named("of-report").ownedBy(report.meta().uid()));

    jobs.delete("team/job", "", null);
    runFor(Duration.ofSeconds(1));

    assertThat(reports.list()).isEmpty();
  }

  @Test
  void shouldLeaveADeletionAloneThatIsUnderWay() {
    Thing job = jobs.create(Thing.named("job"));
    pods.create(Thing.named("pod").ownedBy(job.meta().uid()));
    pods.delete("team/pod", "", Duration.ofSeconds(60));

    jobs.delete("team/job", "", null);
    runFor(Duration.ofSeconds(1));

    assertThat(pods.get("team/pod").meta().deletionGrace()).isEqualTo(60);
  }

  @Test
  void shouldKeepWhatANewObjectOfTheOwnersNameOwns() {
    Thing job = jobs.create(Thing.named("job"));
    pods.create(Thing.named("old").ownedBy(job.meta().uid()));
    jobs.delete("team/job", "", null);
    Thing next = jobs.create(Thing.named("job"));
    pods.create(Thing.named("new").ownedBy(next.meta().uid()));

    runFor(Duration.ofSeconds(1));

    assertThat(pods.get("team/old").meta().terminating()).isTrue();
    assertThat(pods.get("team/new").meta().terminating()).isFalse();
  }

  @SuppressWarnings("StatementWithEmptyBody")
  private void runFor(Duration time) {
    long until = loop.micros() + time.toNanos() / 1_000;
    while (loop.step(until)) {}
    loop.moveTo(until);
  }
}
