package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each mutation of {@code simulator/mutations/list.txt} can be planted in the present code. */
class MutationListTest {
  private static final Path ROOT = Path.of("..");

  record Place(Path file, String old) {}

  static Stream<Named<Place>> places() throws IOException {
    String list = Files.readString(ROOT.resolve("simulator/mutations/list.txt"));
    return Pattern.compile("^=== ", Pattern.MULTILINE)
        .splitAsStream(list)
        .filter(mutation -> !mutation.isBlank())
        .map(MutationListTest::of);
  }

  private static Named<Place> of(String mutation) {
    List<String> lines = mutation.lines().toList();
    int begin = mutation.indexOf("--- old\n") + "--- old\n".length();
    String old = mutation.substring(begin, mutation.indexOf("\n--- new"));
    return Named.of(lines.getFirst(), new Place(ROOT.resolve(lines.get(1)), old));
  }

  /** A text that is gone, or that stands twice, plants nothing. */
  @ParameterizedTest
  @MethodSource("places")
  void shouldFindItsPlaceOnce(Place place) throws IOException {
    String text = Files.readString(place.file());

    int at = text.indexOf(place.old());
    assertThat(at).isNotNegative();
    assertThat(text.indexOf(place.old(), at + 1)).isNegative();
  }
}
