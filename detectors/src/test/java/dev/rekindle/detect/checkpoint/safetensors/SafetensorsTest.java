package dev.rekindle.detect.checkpoint.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.format.Verdict.Kind;
import java.io.IOException;
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

  @Test
  void shouldSeePointersAndFilesThatWereNeverWritten() throws IOException {
    var pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    assertThat(judge(pointer.getBytes(StandardCharsets.UTF_8)).reason())
        .isEqualTo("a pointer of Git LFS, and not the file itself");
    assertThat(judge(new byte[4_000]).kind()).isEqualTo(Kind.TORN);
  }
}
