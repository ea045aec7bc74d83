package dev.rekindle.detect.checkpoint.files;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a scan may cost, however folders are nested. */
class BudgetTest {
  /** A hundred folders in each folder, without an end, as links make them. */
  private static final class Endless implements Storage {
    @Override
    public String name() {
      return "endless";
    }

    @Override
    public boolean timesAreOfWrites() {
      return true;
    }

    @Override
    public List<Entry> list(String folder, int most) {
      return Collections.nCopies(100, new Entry("in", Entry.Kind.FOLDER, 0, Instant.EPOCH, 0));
    }

    @Override
    public List<String> names(String folder, int most) {
      return List.of();
    }

    @Override
    public Source open(String file) throws IOException {
      return new Source() {
        @Override
        public long size() {
          return 0;
        }

        @Override
        public ByteBuffer read(long position, int length) {
          return ByteBuffer.allocate(length);
        }

        @Override
        public void close() {}
      };
    }
  }

  @Test
  void shouldStopAtFoldersThatHoldOneAnother() throws IOException {
    var budget = new Budget(Limits.USUAL, () -> 0);
    var root = Folder.root(new Endless(), budget);
    descend(root, 2_500);
    assertThatThrownBy(() -> descend(root.folder("other"), 1))
        .isInstanceOf(LimitException.class)
        .hasMessage("more than 250000 files and folders in one checkpoint");
    budget.nextGeneration();
    descend(root.folder("next"), 2_500);
  }

  private static void descend(Folder from, int deep) throws IOException {
    var at = from;
    for (int i = 0; i < deep; i++) {
      at = at.folder("in");
      at.entries();
    }
  }
}
