package dev.rekindle.detect.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Reads of a bucket that answers. */
class BucketTest extends BucketFixture {
  private static Set<String> shown(List<Entry> entries) {
    var all = new TreeSet<String>();
    entries.forEach(e -> all.add(e.name() + " " + e.kind() + " " + e.bytes()));
    return all;
  }

  @Test
  void shouldSeeTheSameFoldersWhetherAllIsListedAtOnceOrEach() throws Exception {
    var chance = new Random(7);
    var names = List.of("a", "b", "a-1", "a.b", "é", " x", "0", "%41", "+", "~");
    for (int i = 0; i < 200; i++) {
      var key = new StringBuilder("run");
      for (int depth = 0; depth <= chance.nextInt(4); depth++) {
        key.append('/').append(names.get(chance.nextInt(names.size())));
      }
      server.put(key.toString(), new byte[chance.nextInt(9)], THEN);
    }
    // What no directory could hold is not read.
    for (var odd : List.of("run/", "run//x", "run/a//y", "run/../etc", "run/./z", "run2/a", "ru")) {
      server.put(odd, new byte[1], THEN);
    }
    for (var folder : List.of("", "a", "a/b", "a-1", "é", " x", "%41", "+/a", "none")) {
      assertThat(shown(storage(true).list(folder, 1_000)))
          .isEqualTo(shown(storage(false).list(folder, 1_000)));
    }
    assertThat(storage(true).list("", 3)).hasSize(4);
    assertThat(storage(false).list("", 3)).hasSize(4);
    assertThat(storage(false).names("", 3)).hasSize(3);
    assertThat(shown(storage(true).list("", 1_000))).noneMatch(name -> name.startsWith(".."));
  }

  @Test
  void shouldSayThatNothingIsThere() throws Exception {
    server.put("runner/x", new byte[1], THEN);

    assertThatThrownBy(() -> storage(true).list("", 10))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("there is nothing below s3://train-1/run");
  }

  @Test
  void shouldReadAnyRangeWithFewRequests() throws Exception {
    var bytes = new byte[700_000];
    new Random(1).nextBytes(bytes);
    server.put("run/file", bytes, THEN);
    for (var flat : new boolean[] {true, false}) {
      try (var source = storage(flat).open("file")) {
        server.asked();
        assertThat(source.size()).isEqualTo(bytes.length);
        for (int i = 0; i < 100; i++) {
          check(source, bytes, 1_000 + i * 600, 500);
        }
        assertThat(server.asked()).hasSizeLessThan(4);
        check(source, bytes, 0, bytes.length);
        check(source, bytes, bytes.length - 9, 9);
        check(source, bytes, bytes.length, 0);
        assertThatThrownBy(() -> source.read(bytes.length - 8, 9))
            .isInstanceOf(java.io.EOFException.class);
      }
    }
    assertThatThrownBy(() -> storage(false).open("none")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldFetchAheadWhatIsFarApart() throws Exception {
    var bytes = new byte[3_000_000];
    new Random(2).nextBytes(bytes);
    server.put("run/file", bytes, THEN);
    var positions = new long[40];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = i * 74_999L + (i % 3 == 0 ? 0 : 50);
    }
    try (var source = storage(true).open("file")) {
      source.ahead(positions, 100);
      assertThat(server.asked().size()).isBetween(30, 45);
      for (var position : positions) {
        check(source, bytes, (int) position, 100);
      }
      assertThat(server.asked()).isEmpty();
    }
  }

  @Test
  void shouldFetchTogetherWhatIsNearToOneAnother() throws Exception {
    var bytes = new byte[1_000_000];
    new Random(3).nextBytes(bytes);
    server.put("run/file", bytes, THEN);
    var positions = new long[100];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = i * 9_000L;
    }
    try (var source = storage(true).open("file")) {
      source.ahead(positions, 100);
      assertThat(server.asked().size()).isBetween(5, 20);
      for (var position : positions) {
        check(source, bytes, (int) position, 100);
      }
    }
  }

  private static void check(Source source, byte[] bytes, int from, int length) throws IOException {
    var read = new byte[length];
    source.read(from, length).get(read);
    assertThat(read).isEqualTo(java.util.Arrays.copyOfRange(bytes, from, from + length));
  }
}
