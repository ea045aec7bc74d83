package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one user with a valid token costs the API server, and other users. */
@Timeout(60)
class UserReviewsTest {
  /** So many reviews of a user in 30 s. */
  private static final int MOST = 64;

  private static final ConsoleConfig CONFIG = new ConsoleConfig(30, 100, MOST, 40, 200, 20, 600);
  private static final Visitor BOB = visitor("bob");

  private final AtomicLong nanos = new AtomicLong();
  private final StubCluster cluster = new StubCluster();
  private final Access access = new Access(cluster.client(), CONFIG, nanos::get);

  private static Visitor visitor(String name) {
    return new Visitor(name, "", List.of(), Map.of());
  }

  private static List<String> namespaces(int count) {
    return IntStream.range(0, count).mapToObj("team-%03d"::formatted).toList();
  }

  /** How many of these were answered for the user. */
  private long flood(Visitor visitor, List<String> namespaces) {
    return namespaces.stream().filter(namespace -> isAnswered(visitor, namespace)).count();
  }

  private boolean isAnswered(Visitor visitor, String namespace) {
    try {
      assertThat(access.mayList(visitor, namespace)).isFalse();
      return true;
    } catch (Refused refused) {
      assertThat(refused.why()).isEqualTo(Refused.Why.TOO_OFTEN);
      assertThat(refused.retryAfter()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(1));
      return false;
    }
  }

  @Test
  void shouldAskTheApiServerLittleForOneUserWhoNamesEverNewNamespaces() {
    assertThat(access.mayList(BOB, "ml")).isTrue();
    assertThat(flood(BOB, namespaces(500))).isEqualTo(MOST - 2);
    assertThat(cluster.reviews()).isEqualTo(MOST);
    assertThat(access.mayList(BOB, "ml")).as("what is known").isTrue();

    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    assertThat(flood(BOB, namespaces(500))).as("known, and new").isEqualTo(MOST - 2 + 6);
  }

  @Test
  void shouldNeitherRefuseOthersNorDriveOutWhatIsKnownOfThem() {
    assertThat(access.mayList(visitor("alice"), "ml")).isTrue();
    flood(BOB, namespaces(500));

    int before = cluster.reviews();
    assertThat(access.mayList(visitor("alice"), "ml")).isTrue();
    assertThat(cluster.reviews()).isEqualTo(before);
    assertThat(access.mayList(visitor("eve"), "other")).isTrue();
  }

  /** A token has an id of its own, and who may make one can make many. */
  @Test
  void shouldCountTheTokensOfAUserAndTheServiceAccountsOfANamespaceTogether() {
    for (int i = 0; i < 100; i++) {
      Visitor token = new Visitor("bob", "", List.of(), Map.of("id", List.of("token-" + i)));
      flood(token, List.of("team-" + i));
      flood(visitor("system:serviceaccount:team:a" + i), List.of("team-" + i));
    }
    assertThat(cluster.reviews()).isEqualTo(2 * MOST);
    assertThat(flood(visitor("system:serviceaccount:other:a"), List.of("team"))).isEqualTo(1);
  }

  @Test
  void shouldReviewTheTokensOfAUserAsOftenAsItsRights() {
    assertThat(access.visitor("bob")).isPresent();
    flood(BOB, namespaces(500));
    // Drives the answer about its token out.
    for (int i = 0; i < 100; i++) {
      nanos.addAndGet(Duration.ofMillis(60).toNanos());
      assertThat(access.visitor("unknown-" + i)).isEmpty();
      flood(BOB, List.of("other-" + i));
    }
    assertThatThrownBy(() -> access.visitor("bob"))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.why()).isEqualTo(Refused.Why.TOO_OFTEN));
  }

  @Test
  void shouldAnswerPagesOfOneThingWhenListsAndStreamsHaveTakenTheirShares() {
    List<String> many = namespaces(500);
    for (int i = 0; i < 10; i++) {
      assertThat(access.visible(BOB, many)).isEmpty();
    }
    assertThat(cluster.reviews()).isEqualTo(MOST - MOST / 4);
    for (String namespace : many) {
      assertThat(access.mayHear(BOB, namespace)).isFalse();
    }
    assertThat(cluster.reviews()).as("a stream leaves half to others").isEqualTo(MOST * 3 / 4);
    assertThat(access.mayList(BOB, "ml")).isTrue();
    assertThat(access.mayHear(BOB, "ml")).as("it is known").isTrue();
    assertThat(access.maySeeNodes(BOB)).isFalse();
  }

  @Test
  void shouldKeepNothingOfUsersWhoHaveAskedForNothingLately() {
    UserAllowances allowances = new UserAllowances(MOST, Duration.ofSeconds(30), nanos::get);
    for (int i = 0; i < 1_000; i++) {
      allowances.take("user-" + i, UserAllowances.Use.PAGE);
    }
    assertThat(allowances.size()).isEqualTo(1_000);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    allowances.take("user-0", UserAllowances.Use.PAGE);
    assertThat(allowances.size()).isEqualTo(1);
  }

  /** An installation may watch hundreds of namespaces, each by itself. */
  @Test
  void shouldAskForNoRightToHearOfNamespacesThatCanBeRead() {
    List<String> watched = namespaces(10);
    ClusterWatch watch =
        new ClusterWatch(
            cluster.client(),
            new Changes(CONFIG),
            new WatchedNamespaces(watched),
            SteadyClock.system());
    Archive archive =
        new Archive(watch, access, new Guard(access), new GpuModels(cluster.client()));

    assertThat(archive.notices(BOB, "ml")).isEmpty();
    assertThat(cluster.reviews()).as("whether policies may be seen").isEqualTo(1);
    watch.close();
  }

  @Test
  void shouldSayAboveTheListThatNotAllNamespacesAreInIt() {
    namespaces(50)
        .forEach(
            namespace ->
                cluster
                    .client()
                    .resource(Given.recovery(namespace, "r1", RecoveryPhase.RECOVERED, Given.T0))
                    .create());
    ClusterWatch watch =
        new ClusterWatch(
            cluster.client(), new Changes(CONFIG), WatchedNamespaces.ALL, SteadyClock.system());
    Archive archive =
        new Archive(watch, access, new Guard(access), new GpuModels(cluster.client()));
    while (watch.recoveries().size() < 50) {
      assertThat(Thread.currentThread().isInterrupted()).as("out of time").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(access.visible(BOB, watch.recoveries().namespaces())).isEqualTo(Set.of());
    assertThat(archive.notices(BOB, "")).singleElement().asString().contains("Not all namespaces");
    assertThat(archive.notices(BOB, "ml")).isEmpty();
    assertThat(archive.notices(visitor("alice"), "")).isEmpty();

    // Those that are known are not checked again.
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());
    access.visible(BOB, watch.recoveries().namespaces());
    assertThat(archive.notices(BOB, "")).isEmpty();
    watch.close();
  }
}
