package dev.rekindle.detect.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;

/** Frames of the reference library; testbed/checkpoints/zstd_frames.py has made them. */
class ZstdInputStreamTest {
  private static final int MOST = 500_000;
  private static final Map<String, byte[]> FILES = files();

  private static Map<String, byte[]> files() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    try (var zip =
        new ZipInputStream(
            Objects.requireNonNull(
                ZstdInputStreamTest.class.getResourceAsStream("/zstd/frames.zip")))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        files.put(entry.getName(), zip.readAllBytes());
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return files;
  }

  private static String[] sums() {
    return new String(file("sums"), StandardCharsets.UTF_8).split("\n", -1);
  }

  private static byte[] file(String name) {
    return Objects.requireNonNull(FILES.get(name), name);
  }

  private static InputStream stream(byte[] frame) {
    return new ZstdInputStream(new ByteArrayInputStream(frame), MOST);
  }

  @Test
  void shouldDecompressEachFrame() throws IOException, NoSuchAlgorithmException {
    int frames = 0;
    for (var line : sums()) {
      if (!line.isEmpty()) {
        var fields = line.split(" ", -1);
        var content = stream(file(fields[0])).readAllBytes();
        assertThat(content).as(fields[0]).hasSize(Integer.parseInt(fields[1]));
        var sum = MessageDigest.getInstance("SHA-256").digest(content);
        assertThat(HexFormat.of().formatHex(sum)).as(fields[0]).isEqualTo(fields[2]);
        frames++;
      }
    }
    assertThat(frames).isEqualTo(70);
  }

  @Test
  void shouldGiveTheSameByteForByte() throws IOException {
    var in = stream(file("words-19"));
    var content = stream(file("words-19")).readAllBytes();
    for (byte expected : content) {
      assertThat(in.read()).isEqualTo(Byte.toUnsignedInt(expected));
    }
    assertThat(in.read()).isEqualTo(-1);
  }

  @Test
  void shouldSeeAFrameThatIsCutOffAnywhere() {
    for (var name : new String[] {"words-19", "skewed-3", "noise-1", "copies-9"}) {
      var frame = file(name);
      for (int length = 0; length < frame.length; length += 1 + frame.length / 500) {
        var cut = Arrays.copyOf(frame, length);
        assertThatExceptionOfType(EOFException.class)
            .as("%s after %d bytes", name, length)
            .isThrownBy(() -> stream(cut).readAllBytes());
      }
    }
  }

  @Test
  void shouldRefuseWhatIsLongerThanItMayBe() {
    assertThatThrownBy(
            () ->
                new ZstdInputStream(new ByteArrayInputStream(file("zeros-stream")), 399_999)
                    .readAllBytes())
        .isInstanceOf(ZstdException.class)
        .hasMessageContaining("more than 399999 bytes");
    assertThatThrownBy(
            () ->
                new ZstdInputStream(new ByteArrayInputStream(file("zeros-3")), 399_999)
                    .readAllBytes())
        .isInstanceOf(ZstdException.class)
        .hasMessageContaining("400000 bytes, more than 399999");
  }

  /** Whatever the bytes are, there is an exception of the right kind, and never too much. */
  @Test
  void shouldRefuseDamagedFramesOrReadThem() throws IOException {
    var random = new Random(20261129);
    int refused = 0;
    for (var file : FILES.entrySet()) {
      for (int i = 0; i < 40 && file.getValue().length < 10_000; i++) {
        var damaged = file.getValue().clone();
        for (int bits = random.nextInt(1, 4); bits > 0 && damaged.length > 0; bits--) {
          damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        }
        try {
          assertThat(stream(damaged).readAllBytes().length).isLessThanOrEqualTo(MOST);
        } catch (ZstdException | EOFException e) {
          assertThat(e).hasMessageMatching("[\\w ,^-]+");
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }

  @Test
  void shouldRefuseWhatIsNoZstandard() {
    assertThatThrownBy(() -> stream(new byte[100]).readAllBytes())
        .isInstanceOf(ZstdException.class)
        .hasMessage("does not begin as Zstandard");
  }
}
