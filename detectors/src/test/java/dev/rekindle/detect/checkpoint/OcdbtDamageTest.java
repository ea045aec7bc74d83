package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.CrashState.Kind;
import dev.rekindle.detect.checkpoint.CrashState.Node;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of arrays that two ranks of Orbax have saved, damaged after the commit. A restore reads the
 * merged index, and what it names in the files of both ranks.
 */
class OcdbtDamageTest {
  private static final String ARRAYS = "20/default/";
  private static final String MANIFEST = ARRAYS + "manifest.ocdbt";
  private static final String INDEX = ARRAYS + "d/29ae25bf52083e64f486f79e0a93b635";
  private static final String FIRST = ARRAYS + "ocdbt.process_0/d/95d6aca3cbf6b110a300460862e23dc8";
  private static final String SECOND =
      ARRAYS + "ocdbt.process_1/d/77dd092857f45c7c793fc6d251bbc262";

  /** The own index of a rank, and versions before its last; TensorStore reads all without them. */
  private static final List<String> UNUSED =
      List.of(
          ARRAYS + "ocdbt.process_0/manifest.ocdbt",
          ARRAYS + "ocdbt.process_1/manifest.ocdbt",
          ARRAYS + "ocdbt.process_0/d/aeacb1356bc4c98427ac85ade8ae3fc6",
          ARRAYS + "ocdbt.process_0/d/926ca756fdded779e56636cb179fb21d",
          ARRAYS + "ocdbt.process_0/d/1d47351ae4ef8f94680f48374f748773");

  /**
   * Ends of values as {@code tensorstore.ocdbt.dump} shows them; the own index of a rank follows.
   */
  private static final Map<String, Integer> USED = Map.of(FIRST, 1938, SECOND, 1937);

  @TempDir private Path root;
  private CrashState whole = new CrashState();
  private @Nullable CrashMirror mirror;

  @BeforeEach
  void read() throws IOException, URISyntaxException {
    var file =
        Objects.requireNonNull(
            OcdbtDamageTest.class.getResource("/checkpoints/orbax/two-ranks.zip"));
    whole = new CrashPoints(CrashJournal.read(Path.of(file.toURI())), root, 0).last().copy();
  }

  private Verdict verdict(CrashState state) throws IOException {
    var shown = mirror == null ? new CrashMirror(root) : mirror;
    mirror = shown;
    shown.show(state);
    var newest = new Scanner(root, Scanner.Settings.USUAL).scan().checkpoints().getFirst();
    assertThat(newest.step()).hasValue(20);
    return newest.verdict();
  }

  private byte[] data(String path) {
    return Objects.requireNonNull(whole.nodes().get(path), path).data();
  }

  private Verdict with(String path, byte[] data) throws IOException {
    var state = whole.copy();
    var old = Objects.requireNonNull(whole.nodes().get(path), path);
    state.nodes().put(path, new Node(Kind.FILE, data, "", old.micros(), data));
    return verdict(state);
  }

  private Verdict without(String path) throws IOException {
    var state = whole.copy();
    assertThat(state.nodes().remove(path)).isNotNull();
    return verdict(state);
  }

  @Test
  void shouldBeValidAsItWasSaved() throws IOException {
    assertThat(verdict(whole)).isEqualTo(Verdict.VALID);
  }

  @Test
  void shouldSeeEachFileThatIsCutOffAnywhere() throws IOException {
    for (var path : List.of(MANIFEST, INDEX, FIRST, SECOND)) {
      var data = data(path);
      int used = USED.getOrDefault(path, data.length);
      for (int length = 0;
          length < data.length;
          length += length < 32 || length > used - 32 ? 1 : 13) {
        assertThat(with(path, Arrays.copyOf(data, length)).kind())
            .as("%s of %d bytes", path, length)
            .isEqualTo(length < used ? Verdict.Kind.TORN : Verdict.Kind.VALID);
      }
    }
  }

  @Test
  void shouldSayWhatIsMissing() throws IOException {
    assertThat(without(SECOND).reason())
        .isEqualTo("ocdbt.process_1/d/77dd092857f45c7c793fc6d251bbc262 is missing");
    assertThat(without(INDEX).reason()).isEqualTo("d/29ae25bf52083e64f486f79e0a93b635 is missing");
    var data = data(SECOND);
    assertThat(with(SECOND, Arrays.copyOf(data, 1000)).reason())
        .matches("ocdbt.process_1/d/\\w+ has 1000 bytes, the index says at least 1937");
    assertThat(without(MANIFEST).reason())
        .isEqualTo("ocdbt.process_0 has no manifest.ocdbt beside it that names its data");
  }

  @Test
  void shouldSeeEachBitOfAnIndexThatWasTurned() throws IOException {
    for (var path : List.of(MANIFEST, INDEX)) {
      for (int bit = 0; bit < 8 * data(path).length; bit += 7) {
        var data = data(path).clone();
        data[bit / 8] ^= (byte) (1 << bit % 8);
        assertThat(with(path, data).kind())
            .as("bit %d of %s", bit, path)
            .isEqualTo(Verdict.Kind.TORN);
      }
    }
  }

  @Test
  void shouldSeeAFileThatIsLostWithThePower() throws IOException {
    var lost = data(SECOND).clone();
    Arrays.fill(lost, 1000, lost.length, (byte) 0);
    assertThat(with(SECOND, lost).reason()).contains("ends in zeros: lost with the power");
    assertThat(with(SECOND, new byte[lost.length]).kind()).isEqualTo(Verdict.Kind.UNKNOWN);
    Arrays.fill(lost, (byte) 1);
    Arrays.fill(lost, 1000, lost.length, (byte) 0);
    assertThat(with(SECOND, lost)).as("not compressed").isEqualTo(Verdict.VALID);
  }

  @Test
  void shouldNotMindWhatNoRestoreReads() throws IOException {
    for (var path : UNUSED) {
      assertThat(with(path, Arrays.copyOf(data(path), 0))).as(path).isEqualTo(Verdict.VALID);
      assertThat(without(path).kind()).as(path).isNotEqualTo(Verdict.Kind.TORN);
    }
    for (var path : List.of(FIRST, SECOND)) {
      assertThat(with(path, Arrays.copyOf(data(path), 5000))).isEqualTo(Verdict.VALID);
    }
  }
}
