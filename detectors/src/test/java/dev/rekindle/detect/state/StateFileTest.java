package dev.rekindle.detect.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.rekindle.agent.app.AgentClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateFileTest {
  record Value(String name, long count, @Nullable Instant at, List<String> words) {}

  private static final Value SOME =
      new Value("ü\n\t\"", Long.MAX_VALUE, Instant.parse("2026-01-01T00:00:00.5Z"), List.of("a"));

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  private StateFile<Value> file;

  @BeforeEach
  void setUp() {
    file = file("value-1", 1024);
  }

  private StateFile<Value> file(String version, int maxBytes) {
    return new StateFolder(directory, AgentClient.json())
        .file("value", version, Value.class, maxBytes);
  }

  @Test
  void shouldBeEmptyBeforeTheFirstWrite() throws IOException {
    assertThat(file.read()).isEmpty();
  }

  @Test
  void shouldGiveBackWhatWasWrittenLast() throws IOException {
    file.write(new Value("first", 1, null, List.of()));
    file.forced().write(SOME);
    assertThat(file("value-1", 1024).read()).contains(SOME);
    assertThat(directory.toFile().list()).containsExactly("value");
  }

  /** What a machine that loses its power leaves of a file that was not forced, and worse. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\0\0\0\0",
        "value-1",
        "value-1\n",
        "value-1\nnull",
        "value-1\n{\"name\": ",
        "value-1\n[]",
        "value-2\n{\"name\":\"first\",\"count\":1,\"words\":[]}"
      })
  void shouldSayThatItHoldsSomethingElse(String text) throws IOException {
    Files.writeString(directory.resolve("value"), text);
    assertThatIOException().isThrownBy(file::read).withMessageContaining("value");
  }

  @Test
  void shouldNotReadWhatIsTooLarge() throws IOException {
    file.write(SOME);
    assertThatIOException()
        .isThrownBy(file("value-1", 20)::read)
        .withMessageContaining("larger than 20 bytes");
  }

  @Test
  void shouldKeepTheFormerValueWhereTheNewOneCannotBeWritten() throws IOException {
    file.write(SOME);
    Files.createDirectory(directory.resolve("value.tmp"));
    assertThatIOException().isThrownBy(() -> file.write(new Value("b", 2, null, List.of())));
    assertThat(file.read()).contains(SOME);
  }
}
