package dev.rekindle.controller.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TableTest {
  private record Row(String group, int content) {}

  private final Table<Row> table = new Table<>();
  private final Table<Row>.Index<String> groups = table.index(Row::group);

  /** Groups whose rows were gone through. */
  private final List<String> summed = new ArrayList<>();

  private final Table<Row>.Sums<String, Integer> sums = groups.sums(this::sum);

  private Optional<Integer> sum(List<Row> rows) {
    rows.stream().findFirst().map(Row::group).ifPresent(summed::add);
    return rows.stream().map(Row::content).reduce(Integer::sum);
  }

  @Test
  void shouldSumThoseRowsAgainThatHaveTheirGroupInCommonWithOneThatHasChanged() {
    table.put("a", "1", new Row("g", 1));
    table.put("b", "2", new Row("g", 2));
    table.put("c", "3", new Row("h", 4));
    Map<String, Integer> first = sums.get();
    assertThat(first).isEqualTo(Map.of("g", 3, "h", 4));
    assertThat(summed).containsExactlyInAnyOrder("g", "h");

    summed.clear();
    table.put("a", "4", new Row("g", 1));
    assertThat(sums.get()).as("no row has changed").isSameAs(first);
    table.put("b", "5", new Row("h", 8));
    assertThat(sums.get()).isEqualTo(Map.of("g", 1, "h", 12));
    table.remove("c", "6");
    assertThat(sums.get()).isEqualTo(Map.of("g", 1, "h", 8));
    table.remove("a", "7");
    assertThat(sums.get()).isEqualTo(Map.of("h", 8));
    assertThat(summed).containsExactlyInAnyOrder("g", "h", "h");
  }

  @Test
  void shouldKeepOurOwnWriteWhenAnOlderEventArrivesAfterIt() {
    table.put("a", "9", new Row("g", 1));
    table.put("a", "10", new Row("g", 2));
    assertThat(table.put("a", "9", new Row("g", 1)).applied()).isFalse();
    assertThat(table.get("a")).contains(new Row("g", 2));
  }

  @Test
  void shouldCompareVersionsAsNumbers() {
    table.put("a", "99", new Row("g", 1));
    assertThat(table.put("a", "100", new Row("g", 2)).applied()).isTrue();
  }

  @Test
  void shouldNotBringARowBackWhenAWriteComesAfterItsDeletion() {
    table.put("a", "5", new Row("g", 1));
    table.remove("a", "7");
    assertThat(table.putCreated("a", "6", new Row("g", 2)).applied()).isFalse();
    assertThat(table.get("a")).isEmpty();
    assertThat(table.put("a", "8", new Row("g", 3)).applied()).as("created again").isTrue();
  }

  @Test
  void shouldNotBringARowBackWhenAChangeComesAfterAListWithoutIt() {
    table.put("a", "5", new Row("g", 1));
    table.remove("a", "5");

    assertThat(table.putChanged("a", "6", new Row("g", 2)).applied()).isFalse();
    assertThat(table.get("a")).isEmpty();
  }

  @Test
  void shouldTakeARowBackThatAListWasTooOldToHave() {
    table.put("a", "5", new Row("g", 1));
    table.remove("a", "5");

    assertThat(table.put("a", "5", new Row("g", 1)).applied()).isTrue();
    assertThat(table.get("a")).contains(new Row("g", 1));
  }

  @Test
  void shouldTakeAVersionThatIsNoNumberForNewer() {
    table.put("a", "5", new Row("g", 1));
    assertThat(table.put("a", "opaque", new Row("g", 2)).applied()).isTrue();
    assertThat(table.put("a", "other", new Row("g", 3)).applied()).isTrue();
  }

  @Test
  void shouldIndexWhatIsThereWhateverIsDone() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      Table<Row> any = new Table<>();
      Table<Row>.Index<String> byGroup = any.index(Row::group);
      Map<String, Row> model = new HashMap<>();
      for (int step = 1; step < 200; step++) {
        String key = "k" + random.nextInt(8);
        if (random.nextInt(3) == 0) {
          any.remove(key, String.valueOf(step));
          model.remove(key);
        } else {
          Row row = new Row("g" + random.nextInt(3), step);
          any.put(key, String.valueOf(step), row);
          model.put(key, row);
        }
        for (String group : List.of("g0", "g1", "g2")) {
          assertThat(byGroup.get(group))
              .as("seed %d step %d", seed, step)
              .containsExactlyInAnyOrderElementsOf(
                  model.values().stream().filter(r -> r.group().equals(group)).toList());
        }
        assertThat(any.all()).containsExactlyInAnyOrderElementsOf(model.values());
        assertThat(any.size()).isEqualTo(model.size());
      }
    }
  }

  @Test
  void shouldMoveARowBetweenGroups() {
    table.put("a", "1", new Row("old", 1));
    table.put("a", "2", new Row("new", 1));
    assertThat(groups.get("old")).isEmpty();
    assertThat(groups.get("new")).containsExactly(new Row("new", 1));
  }

  @Test
  void shouldShowAChangedRowInItsPlaceAndLeaveAnEarlierListAlone() {
    table.put("a", "1", new Row("g", 1));
    table.put("b", "2", new Row("g", 2));
    List<Row> before = groups.get("g");

    table.put("a", "3", new Row("g", 3));
    assertThat(groups.get("g")).containsExactly(new Row("g", 3), new Row("g", 2));
    assertThat(table.all()).containsExactlyInAnyOrder(new Row("g", 3), new Row("g", 2));
    assertThat(before).containsExactly(new Row("g", 1), new Row("g", 2));

    table.remove("b", "4");
    assertThat(groups.get("g")).containsExactly(new Row("g", 3));
    assertThat(table.all()).containsExactly(new Row("g", 3));
    assertThat(groups.count("g")).isEqualTo(1);
  }
}
