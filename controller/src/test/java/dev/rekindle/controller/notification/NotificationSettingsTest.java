package dev.rekindle.controller.notification;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NotificationSettingsTest {
  private static final Path SECRETS = Path.of("/etc/rekindle/webhooks");

  private static NotificationSettings parse(String json) {
    return NotificationSettings.parse(json, SECRETS);
  }

  @Test
  void shouldHaveNoWebhookWhereNothingIsSaid() {
    assertThat(parse(" ")).isEqualTo(NotificationSettings.NONE);
  }

  @Test
  void shouldReadWhatTheChartWrites() {
    NotificationSettings settings =
        parse(
            """
            {"cluster":"a","maxAge":"2h","webhooks":[
              {"name":"ops","url":"https://ops.example/x","format":"cloudevents",
               "events":["held","nodeFenced"]},
              {"name":"chat","url":"","format":"slack","events":[]}]}
            """);

    assertThat(settings.problems()).isEmpty();
    assertThat(settings.age()).isEqualTo(Duration.ofHours(2));
    assertThat(settings.webhooks())
        .containsExactly(
            new Webhook(
                "ops",
                "https://ops.example/x",
                SECRETS.resolve("ops"),
                Webhook.Format.CLOUDEVENTS,
                Set.of(NotificationType.HELD, NotificationType.NODE_FENCED)),
            new Webhook(
                "chat", "", SECRETS.resolve("chat"), Webhook.Format.SLACK, NotificationType.USUAL));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {                                               | no JSON
          {"webhooks":[{"url":"https://x"}]}              | no name
          {"webhooks":[{"name":"../a","url":"https://x"}]}| no name
          {"webhooks":[{"name":"a","url":"file:///etc"}]} | none of http
          {"webhooks":[{"name":"a","url":"https://u:p@x"}]} | none of http
          {"webhooks":[{"name":"a","url":"http:// x"}]}   | none of http
          {"webhooks":[{"name":"a","format":"teams"}]}    | neither
          {"webhooks":[{"name":"a","events":["x"]}]}      | no known word
          {"webhooks":[{"name":"a"},{"name":"a"}]}        | twice
          {"maxAge":"1s"}                                 | maxAge
          {"maxAge":"soon"}                               | maxAge
          """)
  void shouldSayWhatIsWrongAndContinue(String json, String expected) {
    assertThat(parse(json).problems()).hasSize(1).first().asString().contains(expected);
  }

  @Test
  void shouldQuoteNoUrl() {
    assertThat(parse("{\"webhooks\":[{\"name\":\"a\",\"url\":\"ftp://secret\"}], }").problems())
        .noneMatch(p -> p.contains("secret"));
  }

  @Test
  void shouldTakeABoundedNumber() {
    StringBuilder many = new StringBuilder("{\"webhooks\":[");
    for (int i = 0; i < 10; i++) {
      many.append(i == 0 ? "" : ",").append("{\"name\":\"w%d\"}".formatted(i));
    }

    NotificationSettings settings = parse(many.append("]}").toString());

    assertThat(settings.webhooks()).hasSize(RecordText.MOST_WEBHOOKS);
    assertThat(settings.problems()).hasSize(2);
  }
}
