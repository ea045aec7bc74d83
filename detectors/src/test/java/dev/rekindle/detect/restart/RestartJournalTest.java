package dev.rekindle.detect.restart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.restart.JournalEntry.Mark;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestartJournalTest {
  /** Keeps the notes and counts how often they were written. */
  private static final class Kept implements JournalStore {
    private List<JournalEntry> notes = List.of();
    private int writes;

    @Override
    public List<JournalEntry> read() {
      return notes;
    }

    @Override
    public void write(Collection<JournalEntry> all) {
      notes = List.copyOf(all);
      writes++;
    }
  }

  private final Kept store = new Kept();

  private static JournalEntry note(String order, String pod, Mark mark) {
    return new JournalEntry(order, null, "name-of-" + pod, pod, "c1", 0, "", mark, Instant.EPOCH);
  }

  /** What an agent does, and in which order, must not depend on hash codes. */
  @Test
  void shouldGiveOrdersAndPodsInTheOrderOfTheirUids() throws IOException {
    var book = new RestartJournal(store);
    var pods = new ArrayList<String>();
    for (var i = 99; i >= 10; i--) {
      pods.addFirst("pod-" + i);
      book.write(note("order-b", "pod-" + i, Mark.FREEZING));
    }
    book.write(note("order-c", "pod-1", Mark.FREEZING));
    book.write(note("order-a", "pod-1", Mark.FREEZING));

    for (var each : List.of(book, new RestartJournal(store))) {
      assertThat(each.of("order-b").keySet()).containsExactlyElementsOf(pods);
      assertThat(each.orders()).containsExactly("order-a", "order-b", "order-c");
    }
  }

  /** An empty file, say, after a loss of power: the agent starts, and writes its own. */
  @Test
  void shouldStartWithoutAJournalThatCannotBeRead() throws IOException {
    var broken =
        new JournalStore() {
          private List<JournalEntry> written = List.of();

          @Override
          public List<JournalEntry> read() throws IOException {
            throw new IOException("does not begin with the version");
          }

          @Override
          public void write(Collection<JournalEntry> all) {
            written = List.copyOf(all);
          }
        };
    var journal = new RestartJournal(broken);
    assertThat(journal.all()).isEmpty();
    journal.write(note("order", "pod", Mark.FREEZING));
    assertThat(broken.written).hasSize(1);
  }

  @Test
  void shouldWriteOnlyWhatChanges() throws IOException {
    var book = new RestartJournal(store);
    book.write(note("order", "pod", Mark.FREEZING));
    book.write(note("order", "pod", Mark.FREEZING));
    assertThat(store.writes).isEqualTo(1);

    book.write(note("order", "pod", Mark.FROZEN));
    assertThat(store.writes).isEqualTo(2);
    assertThat(store.notes).containsExactly(note("order", "pod", Mark.FROZEN));

    book.forget("another");
    assertThat(store.writes).isEqualTo(2);
    book.forget("order");
    assertThat(store.notes).isEmpty();
    assertThat(book.of("order")).isEmpty();
  }
}
