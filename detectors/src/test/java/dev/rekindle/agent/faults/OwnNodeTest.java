package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnNodeTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        """
        {"kubernetes.io":{"node":{"name":"n","uid":"0d1b-7"}}} | 0d1b-7
        """,
        """
        {"kubernetes.io":{"pod":{"name":"p","uid":"u"}}} | ``
        """,
        """
        {"kubernetes.io":{"node":{"uid":"a b"}}} | ``
        """,
        """
        {"kubernetes.io":{"node":{"uid":7}}} | ``
        """,
        """
        {"kubernetes.io":[]} | ``
        """,
        """
        [] | ``
        """,
        """
        {"kubernetes.io | ``
        """,
      })
  void shouldReadTheNodeOutOfTheTokenOrNothing(String claims, String uid) throws IOException {
    assertThat(of("e30." + encoded(claims) + ".c2ln")).isEqualTo(uid);
  }

  @Test
  void shouldMakeNothingOfWhatIsNoToken() throws IOException {
    assertThat(of("")).isEmpty();
    assertThat(of("a.b")).isEmpty();
    assertThat(of("a.!!!.c")).isEmpty();
    assertThat(of("x".repeat(100_000))).isEmpty();
    assertThat(new OwnNode(directory.resolve("none"), AgentClient.json()).uid()).isEmpty();
  }

  private String of(String token) throws IOException {
    var file = directory.resolve("token");
    Files.writeString(file, token);
    return new OwnNode(file, AgentClient.json()).uid();
  }

  private static String encoded(String claims) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(claims.getBytes(StandardCharsets.UTF_8));
  }
}
