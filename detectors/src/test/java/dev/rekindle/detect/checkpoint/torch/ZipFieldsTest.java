package dev.rekindle.detect.checkpoint.torch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Fixtures;
import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Single fields of an archive that PyTorch refuses to load once they are changed. */
class ZipFieldsTest {
  private static final byte[] REAL = Fixtures.torchSave();
  @TempDir Path directory;

  private Verdict check(byte[] bytes) throws IOException {
    Files.write(directory.resolve("step-1.pt"), bytes);
    try (var source = Scans.folder(directory).open("step-1.pt")) {
      return TorchSave.judge(source, Level.L3);
    }
  }

  /**
   * Bit by bit; of the attributes only the one of a folder, of the flags those of encryption, and
   * of the method not the one that makes it DEFLATE, which only the data shows.
   */
  @ParameterizedTest
  @CsvSource({
    "flags, 8, 0x2061",
    "method, 10, 0xfff7",
    "stored, 20, 0xffffffff",
    "original, 24, 0xffffffff",
    "file, 34, 0xffff",
    "attributes, 38, 0x10"
  })
  void shouldNotSayValidWhereABitOfAnEntryIsTurned(String field, int at, String mask)
      throws IOException {
    var text = new String(REAL, StandardCharsets.ISO_8859_1);
    var entries = 0;
    var bits = Long.decode(mask);
    for (var entry = text.indexOf("PK\1\2");
        entry >= 0;
        entry = text.indexOf("PK\1\2", entry + 1)) {
      for (int bit = 0; bit < 32; bit++) {
        if ((bits >> bit & 1) != 0) {
          assertThat(check(turned(entry + at, bit)).isValid())
              .as(field + " of entry " + entries + ", bit " + bit)
              .isFalse();
        }
      }
      entries++;
    }
    assertThat(entries).isEqualTo(10);
  }

  @ParameterizedTest
  @CsvSource({
    "disks of the ZIP64 record, 6, 16, 64",
    "its entries on this disk, 6, 24, 64",
    "disks of the locator, 7, 16, 32"
  })
  void shouldNotSayValidWhereABitOfTheEndIsTurned(String field, char record, int at, int bits)
      throws IOException {
    var signature = record == '6' ? "PK\6\6" : "PK\6\7";
    var start = new String(REAL, StandardCharsets.ISO_8859_1).indexOf(signature);
    assertThat(start).isPositive();
    for (int bit = 0; bit < bits; bit++) {
      assertThat(check(turned(start + at, bit)).isValid()).as(field + ", bit " + bit).isFalse();
    }
  }

  /** PyTorch reads archives that were packed again, with compression. */
  @Test
  void shouldSeeThatACompressedPickleIsDamaged() throws IOException {
    var file = Files.createTempFile(directory, "packed", "");
    try (var out = new ZipOutputStream(Files.newOutputStream(file))) {
      out.putNextEntry(new ZipEntry("a/data.pkl"));
      var text = new byte[4_000];
      new Random(1).nextBytes(text);
      out.write(text);
      out.closeEntry();
    }
    var bytes = Files.readAllBytes(file);
    assertThat(check(bytes)).isEqualTo(Verdict.VALID);
    bytes[1_000] ^= 1;
    assertThat(check(bytes).reason()).contains("the checksum of entry a/data.pkl");
  }

  /** Sixteen megabytes of it would be sixteen gigabytes of zeros. */
  @Test
  void shouldInflateNoMoreThanTheEntrySaysItHas() throws IOException {
    var file = Files.createTempFile(directory, "packed", "");
    try (var out = new ZipOutputStream(Files.newOutputStream(file))) {
      out.putNextEntry(new ZipEntry("a/data.pkl"));
      out.write(new byte[1 << 20]);
      out.closeEntry();
    }
    var bytes = Files.readAllBytes(file);
    var entry = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("PK\1\2");
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(entry + 24, 1_000);
    assertThat(check(bytes).kind()).isEqualTo(Verdict.Kind.TORN);
  }

  private static byte[] turned(int at, int bit) {
    var bytes = REAL.clone();
    bytes[at + bit / 8] ^= (byte) (1 << bit % 8);
    return bytes;
  }
}
