package dev.rekindle.detect.checkpoint.torch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.Fixtures;
import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.format.Verdict.Kind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TorchSaveTest {
  private static final byte[] REAL = Fixtures.torchSave();
  @TempDir Path directory;

  private Verdict check(byte[] bytes) throws IOException {
    return check(Files.write(directory.resolve("step-1.pt"), bytes));
  }

  private static Verdict check(Path file) throws IOException {
    return check(file, Level.L3);
  }

  private static Verdict check(Path file, Level upTo) throws IOException {
    var name = String.valueOf(file.getFileName());
    try (var source = Scans.folder(file.resolveSibling(".")).open(name)) {
      return TorchSave.judge(source, upTo);
    }
  }

  @Test
  void shouldSayValidWhenTorchWroteTheFileToItsEnd() throws IOException {
    assertThat(check(REAL)).isEqualTo(Verdict.VALID);
  }

  @Test
  void shouldNeverSayValidWhenFileIsCutAnywhere() throws IOException {
    for (int length = 0; length < REAL.length; length++) {
      assertThat(check(Arrays.copyOf(REAL, length)).kind())
          .as("cut to " + length)
          .isNotEqualTo(Kind.VALID);
    }
    assertThat(check(new byte[0])).isEqualTo(Verdict.torn(Level.L2, "the file is empty"));
    assertThat(check(Arrays.copyOf(REAL, REAL.length / 2)).reason())
        .contains("no whole zip END record");
  }

  @Test
  void shouldNeverSayValidWhenTailIsZeroFromAnywhere() throws IOException {
    // Less than the four bytes of "PK\3\4" is no archive; the last four bytes are zero anyway.
    for (int from = 4; from < REAL.length - 4; from++) {
      var zeroed = REAL.clone();
      Arrays.fill(zeroed, from, REAL.length, (byte) 0);
      assertThat(check(zeroed).kind()).as("zero from " + from).isEqualTo(Kind.TORN);
    }
  }

  @Test
  void shouldSayTornWhenAPieceOfDirectoryOrOfAHeaderIsMissing() throws IOException {
    var text = new String(REAL, ISO_8859_1);
    for (var signature : new String[] {"PK\u0001\u0002", "PK\u0003\u0004"}) {
      var pieces = 0;
      for (int at = text.indexOf(signature); at >= 0; at = text.indexOf(signature, at + 1)) {
        var holed = REAL.clone();
        Arrays.fill(holed, at, at + 20, (byte) 0);
        assertThat(check(holed).kind()).as("hole at " + at).isEqualTo(Kind.TORN);
        pieces++;
      }
      assertThat(pieces).isEqualTo(10);
    }
  }

  @Test
  void shouldSayTornWhenThePickleIsDamaged() throws IOException {
    var damaged = REAL.clone();
    var at = new String(REAL, ISO_8859_1).indexOf("optimizer");
    damaged[at] ^= 1;
    assertThat(check(damaged))
        .isEqualTo(
            Verdict.torn(
                Level.L3, "the checksum of entry step-00000050/data.pkl does not fit its data"));
  }

  @Test
  void shouldSayTornWhenSomethingIsMissingOrAddedInTheMiddle() throws IOException {
    var text = new String(REAL, ISO_8859_1);
    var middle = text.indexOf("byteorder");
    var shorter = (text.substring(0, middle) + text.substring(middle + 64)).getBytes(ISO_8859_1);
    assertThat(check(shorter).kind()).isEqualTo(Kind.TORN);
    var longer =
        (text.substring(0, middle) + "x".repeat(64) + text.substring(middle)).getBytes(ISO_8859_1);
    assertThat(check(longer).kind()).isEqualTo(Kind.TORN);
  }

  @Test
  void shouldSayUnreadableWhenFileIsNoArchive() throws IOException {
    assertThat(check(Fixtures.legacy()).reason()).startsWith("a bare pickle");
    assertThat(check("hello".getBytes(ISO_8859_1)))
        .isEqualTo(Verdict.unknown(Level.L3, "not a file of torch.save"));
    assertThat(check(new byte[100]).kind()).isEqualTo(Kind.TORN);
  }

  @Test
  void shouldSayUnreadableWhenArchiveIsNotOfTorch() throws IOException {
    assertThat(check(zip("a/readme.txt")).reason()).contains("no data.pkl");
    assertThat(check(zip("a/data.pkl"))).isEqualTo(Verdict.VALID);
    assertThat(check(zip("data.pkl"))).isEqualTo(Verdict.VALID);
    assertThat(check(zip("adata.pkl")).kind()).isEqualTo(Kind.UNKNOWN);
  }

  /** Counts what is read of a file. */
  private static final class CountedSource implements Source {
    private final Source source;
    private long read;

    private CountedSource(Source source) {
      this.source = source;
    }

    @Override
    public long size() {
      return source.size();
    }

    @Override
    public ByteBuffer read(long position, int length) throws IOException {
      read += length;
      return source.read(position, length);
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  private Path zip(String entryName) throws IOException {
    var file = directory.resolve("step-2.pt");
    var data = "data".getBytes(ISO_8859_1);
    var crc = new CRC32();
    crc.update(data);
    try (var out = new ZipOutputStream(Files.newOutputStream(file))) {
      out.setComment("a comment behind the END record");
      var entry = new ZipEntry(entryName);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(data.length);
      entry.setCrc(crc.getValue());
      out.putNextEntry(entry);
      out.write(data);
    }
    return file;
  }

  @Test
  void shouldReadOnlyTheEndsWhenFileIsBiggerThanFourGigabytes() throws IOException {
    var big = directory.resolve("step-3.pt");
    Fixtures.writeArchive(big, 5L << 30, Fixtures.Lie.NONE);
    try (var source = new CountedSource(Scans.folder(directory).open("step-3.pt"))) {
      assertThat(TorchSave.judge(source, Level.L3)).isEqualTo(Verdict.VALID);
      assertThat(source.read).isLessThan(1 << 20);
    }
    try (var file = new RandomAccessFile(big.toFile(), "rw")) {
      file.setLength(file.length() - 1);
    }
    assertThat(check(big).kind()).isEqualTo(Kind.TORN);
  }

  @ParameterizedTest
  @CsvSource({
    "FIRST_ENTRY_REACHES_INTO_SECOND,entry a/data.pkl is not where the central directory says",
    "LAST_ENTRY_REACHES_INTO_DIRECTORY,the data of entry a/data.pkl does not end before",
    "GAP_BEHIND_DIRECTORY,the central directory does not reach to the END record"
  })
  void shouldSayTornWhenTheDirectoryDoesNotFitTheFile(Fixtures.Lie lie, String reason)
      throws IOException {
    var file = directory.resolve("step-5.pt");
    Fixtures.writeArchive(file, 1000, lie);
    assertThat(check(file).kind()).isEqualTo(Kind.TORN);
    assertThat(check(file).reason()).startsWith(reason);
  }

  @Test
  void shouldSeeOneBitOfATensorOnlyWhenEveryByteIsRead() throws IOException {
    var file = directory.resolve("step-6.pt");
    Files.write(file, REAL);
    assertThat(check(file, Level.L4)).isEqualTo(Verdict.valid(Level.L4));
    var damaged = REAL.clone();
    // Data of entries begins at a multiple of 64.
    damaged[(new String(REAL, ISO_8859_1).indexOf("/data/0") + 64) / 64 * 64] ^= 1;
    Files.write(file, damaged);
    assertThat(check(file)).isEqualTo(Verdict.VALID);
    assertThat(check(file, Level.L4).kind()).isEqualTo(Kind.TORN);
    assertThat(check(file, Level.L4).reason()).contains("the checksum of entry").contains("/data/");
  }

  @Test
  void shouldReadEveryByteOfAnEntryThatIsCompressed() throws IOException {
    var file = directory.resolve("step-7.pt");
    try (var out = new ZipOutputStream(Files.newOutputStream(file))) {
      out.putNextEntry(new ZipEntry("a/data.pkl"));
      out.write("many words, many words, many words".repeat(100).getBytes(ISO_8859_1));
    }
    assertThat(check(file, Level.L4)).isEqualTo(Verdict.valid(Level.L4));
    var bytes = Files.readAllBytes(file);
    bytes[60] ^= 1;
    Files.write(file, bytes);
    assertThat(check(file, Level.L4).kind()).isEqualTo(Kind.TORN);
  }

  /** The directory is the tenant's input: any bytes give a verdict, soon, without an exception. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldAlwaysGiveAVerdictWhenBytesAreRandomlyBroken(long seed) throws IOException {
    var random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      var broken = REAL.clone();
      for (int edit = random.nextInt(8); edit >= 0; edit--) {
        // Mostly in the central directory and the END records, where the numbers are.
        var from = random.nextInt(4) == 0 ? 0 : REAL.length * 2 / 3;
        broken[from + random.nextInt(REAL.length - from)] = (byte) random.nextInt(256);
      }
      assertThat(check(broken).kind()).isNotNull();
    }
  }
}
