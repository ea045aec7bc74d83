package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackerTest {
  private final Packer packer = new Packer();

  /** What no compressor makes smaller. */
  private static byte[] noise(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] text(String name) {
    return "{\"kind\": \"Recovery\", \"name\": \"%s\", \"phase\": \"Recovered\"}"
        .formatted(name)
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldGiveBackEachText() {
    List<byte[]> texts =
        List.of(
            new byte[0],
            text("before the model"),
            noise(1, 300_000),
            text("small"),
            noise(2, 40_000),
            new byte[0]);
    List<Packer.Packed> packed = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      packed.add(packer.pack(texts.get(i), i == 2));
    }
    for (int i = 0; i < texts.size(); i++) {
      assertThat(packed.get(i).unpack()).as("text %d", i).isEqualTo(texts.get(i));
    }
  }

  @Test
  void shouldKeepOnlyWhatATextDoesNotShareWithTheModel() {
    Packer.Packed alone = packer.pack(text("one"), false);
    Packer.Packed model = packer.pack(text("two"), true);
    Packer.Packed like = packer.pack(text("three"), true);

    assertThat(like.bytes()).hasSizeLessThan(alone.bytes().length / 2);
    assertThat(like.model()).as("the first of them stays the model").isSameAs(model.model());
    assertThat(like.unpack()).isEqualTo(text("three"));
    assertThat(alone.unpack()).isEqualTo(text("one"));
  }
}
