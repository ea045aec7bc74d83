package dev.rekindle.controller.notification.webhook;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.notification.FenceEpisode;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.Notification.OfNode;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.notification.RecoveryNotifications;
import dev.rekindle.controller.notification.Stories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BodiesTest {
  private static final Path SCHEMA = Path.of("..", "docs", "reference", "notification.schema.json");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** No receiver takes a body without end: what the longest texts come to. */
  private static final int LARGEST = 64 * 1024;

  private static JsonNode event(Notification notification) throws IOException {
    return MAPPER.readTree(new CloudEventBody("west 1").of(notification));
  }

  private static List<Notification> of(RecoveryView recovery) {
    return RecoveryNotifications.of(recovery, Instant.EPOCH);
  }

  private static Notification fence(NotificationType type) {
    return new Notification(
        "uid_k1",
        type,
        T0,
        new OfNode(new FenceEpisode("node-1", "uid", "fault/x", T0, T0.plusSeconds(1))));
  }

  /** Each text as long as its object lets it be, and made of what JSON escapes longest. */
  private static RecoveryView worst() {
    String line = "\u0001".repeat(1024);
    List<String> nodes = Collections.nCopies(40, "n".repeat(253));
    Cause cause = new Cause("c".repeat(128), line, List.of(), nodes, nodes, List.of(), 7L);
    Plan plan = new Plan(null, "", nodes, List.of(), Map.of(), null);
    Outcome outcome = new Outcome(1L, 2L, 3L, 4.5, 6.5, Map.of());
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            T0,
            3,
            null,
            cause,
            plan,
            outcome,
            Stream.of(RecoveryPhase.values()).map(p -> new TimelineEntry(p, T0, line)).toList(),
            List.of());
    return new RecoveryView(
        "n".repeat(63),
        "r".repeat(253),
        "4f1c2c1e-0000-4000-8000-000000000000",
        "1",
        new RecoverySpec(JobRef.pyTorchJob("j".repeat(253), "uid"), T0, null),
        status);
  }

  @Test
  void shouldWriteEventsAsTheSchemaSays() throws IOException {
    JsonSchema schema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Files.readString(SCHEMA));
    List<Notification> all =
        Stream.of(
                of(worst()),
                of(Stories.of("r", RecoveryPhase.DETECTED)),
                of(Stories.held("r", "NoCapacity")),
                List.of(fence(NotificationType.NODE_FENCED), fence(NotificationType.NODE_RELEASED)))
            .flatMap(List::stream)
            .toList();

    assertThat(all).extracting(Notification::type).contains(NotificationType.values());
    for (Notification notification : all) {
      assertThat(schema.validate(event(notification))).as(notification.type().word()).isEmpty();
    }
    byte[] test = new CloudEventBody("west 1").test(TestEvent.id(T0), T0);
    assertThat(schema.validate(new ObjectMapper().readTree(test))).as("a test").isEmpty();
  }

  @Test
  void shouldNameWhatItIsAboutAndWhere() throws IOException {
    JsonNode event = event(of(Stories.held("r", "NoCapacity")).getLast());

    assertThat(event.path("type").asText()).isEqualTo("dev.rekindle.recovery.held.v1");
    assertThat(event.path("source").asText()).isEqualTo("/rekindle/west+1");
    assertThat(event.path("subject").asText()).isEqualTo("team/r");
    assertThat(event.path("time").asText()).isEqualTo("2026-11-21T06:00:01Z");
    assertThat(event.at("/data/holdReason").asText()).isEqualTo("NoCapacity");
    assertThat(event.at("/data/cause/reason").asText()).isEqualTo("XID-79");
    assertThat(event.at("/data/job/name").asText()).isEqualTo("demo");
  }

  @Test
  void shouldSayWhatCameOfItOnlyOnceThatIsKnown() throws IOException {
    for (Notification notification : of(worst())) {
      assertThat(event(notification).at("/data/outcome").isMissingNode())
          .isEqualTo(notification.type() != NotificationType.RECOVERED);
    }
  }

  @Test
  void shouldStaySmallWhateverAJobWrites() {
    for (Notification notification : of(worst())) {
      assertThat(new CloudEventBody("").of(notification)).hasSizeLessThan(LARGEST);
      assertThat(new SlackBody("").of(notification)).hasSizeLessThan(LARGEST);
    }
  }

  @Test
  void shouldLetNoNameMentionLinkOrHideInSlack() throws IOException {
    String hostile = "<!channel> <https://x|ok> a&b \u202Egnp.exe \n\r\u0007\uD800";
    Cause cause = new Cause(hostile, hostile, List.of(), List.of(), List.of(), List.of(), null);
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.DETECTED,
            T0,
            1,
            null,
            cause,
            null,
            null,
            List.of(new TimelineEntry(RecoveryPhase.DETECTED, T0, hostile)),
            List.of());
    RecoveryView recovery = Stories.of("r", RecoveryPhase.DETECTED).with(status);

    JsonNode message = MAPPER.readTree(new SlackBody("west").of(of(recovery).getFirst()));

    String text = message.path("text").asText();
    assertThat(text)
        .startsWith("west: Job team/demo: recovery r opened after &lt;!channel&gt;")
        .contains("a&amp;b")
        .doesNotContain("<", ">", "\u202E", "\n", "\r", "\u0007");
    assertThat(message.path("mrkdwn").asBoolean(true)).isFalse();
    assertThat(message.path("unfurl_links").asBoolean(true)).isFalse();
  }

  @Test
  void shouldSayInSlackWhatHappenedToANode() throws IOException {
    JsonNode fenced = MAPPER.readTree(new SlackBody("").of(fence(NotificationType.NODE_FENCED)));
    JsonNode free = MAPPER.readTree(new SlackBody("").of(fence(NotificationType.NODE_RELEASED)));

    assertThat(fenced.path("text").asText()).isEqualTo("Node node-1 fenced by fault/x");
    assertThat(free.path("text").asText()).startsWith("Node node-1 released");
  }
}
