package dev.rekindle.detect.checkpoint.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.format.Verdict.Kind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafetensorsTest {
  private static final byte[] WHOLE =
      file(
          "{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"dtype\":\"F32\",\"shape\":[2],"
              + "\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],"
              + "\"data_offsets\":[8,12]}}   ",
          12);

  @TempDir Path directory;

  private static byte[] file(String header, int data) {
    var text = header.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + text.length + data)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(text.length)
        .put(text)
        .array();
  }

  private Verdict judge(byte[] bytes) throws IOException {
    Files.write(directory.resolve("a.safetensors"), bytes);
    var folder = Scans.folder(directory);
    return Safetensors.judge(folder, folder.entry("a.safetensors").orElseThrow());
  }

  @Test
  void shouldSayValidOnlyWhenTheFileIsAsLongAsItsHeaderSays() throws IOException {
    assertThat(judge(WHOLE)).isEqualTo(Verdict.VALID);
    for (int length = 0; length < WHOLE.length; length++) {
      assertThat(judge(Arrays.copyOf(WHOLE, length)).kind())
          .as("cut to " + length)
          .isEqualTo(Kind.TORN);
    }
    assertThat(judge(Arrays.copyOf(WHOLE, WHOLE.length + 1)).kind()).isEqualTo(Kind.TORN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":{\"data_offsets\":[0]}}|Unknown the header cannot be read: a tensor without its"
            + " place",
        "{\"a\":{\"data_offsets\":[4,0]}}|Unknown the header cannot be read: a tensor without its"
            + " place",
        "{\"a\":|Unknown the header cannot be read: cut off",
        "[]|Unknown the header cannot be read: not a JSON object",
      })
  void shouldSayUnknownWhenTheHeaderMakesNoSense(String header, String verdict) throws IOException {
    var given = judge(file(header, 4));
    assertThat(given.kind().word() + " " + given.reason()).isEqualTo(verdict);
  }

  /** Lost with the power are gigabytes, not pages. */
  @Test
  void shouldSeeZerosFromWithinATensorHoweverFarBackTheyBegin() throws IOException {
    assertThat(zerosFrom(12_288).reason()).startsWith("zeros from within a tensor to the end");
    assertThat(zerosFrom(100_000).reason()).startsWith("zeros from within a tensor to the end");
  }

  @Test
  void shouldTakeTensorsOfZerosForCompleteHoweverManyTheyAre() throws IOException {
    assertThat(zerosFrom(SECOND)).isEqualTo(Verdict.VALID);
    assertThat(zerosFrom(THIRD)).isEqualTo(Verdict.VALID);
  }

  private static final int SECOND = 65_536;
  private static final int THIRD = 70_000_000;

  /** Three tensors of 140 MB, sparse on the disk, with data up to there. */
  private Verdict zerosFrom(int data) throws IOException {
    var text =
        ("{\"a\":{\"dtype\":\"U8\",\"shape\":[%1$d],\"data_offsets\":[0,%1$d]},"
             + "\"b\":{\"dtype\":\"U8\",\"shape\":[%2$d],\"data_offsets\":[%1$d,%3$d]},"
             + "\"c\":{\"dtype\":\"U8\",\"shape\":[70000000],\"data_offsets\":[%3$d,140000000]}}")
            .formatted(SECOND, THIRD - SECOND, THIRD);
    var start = file(text + " ".repeat(4096 - 8 - text.length()), 0);
    var path = directory.resolve("a.safetensors");
    try (var out = new RandomAccessFile(path.toFile(), "rw")) {
      out.write(start);
      for (int left = data; left > 0; left -= 1 << 20) {
        var piece = new byte[Math.min(left, 1 << 20)];
        Arrays.fill(piece, (byte) 1);
        out.write(piece);
      }
      out.setLength(start.length + 140_000_000L);
    }
    var folder = Scans.folder(directory);
    return Safetensors.judge(folder, folder.entry("a.safetensors").orElseThrow());
  }

  @Test
  void shouldSeePointersAndFilesThatWereNeverWritten() throws IOException {
    var pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    assertThat(judge(pointer.getBytes(StandardCharsets.UTF_8)).reason())
        .isEqualTo("a pointer of Git LFS, and not the file itself");
    assertThat(judge(new byte[4_000]).kind()).isEqualTo(Kind.TORN);
  }
}
