package dev.rekindle.detect.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KnowledgeTest {
  private static final Knowledge SHIPPED = Knowledge.shipped();

  private static final String ENTRY = "{meaning: m, impact: i, does: d, todo: t}";

  private static List<Entry> all() {
    return Stream.of(Kind.values()).flatMap(kind -> SHIPPED.of(kind).stream()).toList();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldHaveEntriesOfEachKindAndFindEach(Kind kind) {
    assertThat(SHIPPED.of(kind)).isNotEmpty();
    assertThat(SHIPPED.of(kind))
        .allSatisfy(
            entry ->
                assertThat(SHIPPED.find(kind, entry.code().replace("*", "X"))).contains(entry));
    assertThat(SHIPPED.of(kind).stream().map(e -> e.code().toLowerCase(Locale.ROOT)))
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldWriteClausesWithoutAFullStopAndSentencesWithOne() {
    assertThat(all())
        .allSatisfy(
            entry -> {
              assertThat(entry.does()).as(entry.code()).endsWith(".");
              assertThat(Stream.of(entry.meaning(), entry.impact(), entry.toDo()))
                  .as(entry.code())
                  .noneMatch(text -> text.endsWith("."));
            });
  }

  @Test
  void shouldPreferTheEntryThatSaysMost() {
    assertThat(SHIPPED.find(Kind.FAULT, "cond-gpumissing").map(Entry::code))
        .contains("COND-GPUMISSING");
    assertThat(SHIPPED.find(Kind.FAULT, "ASCEND-NETWORK-SEPARATENPU").map(Entry::code))
        .contains("ASCEND-NETWORK-*");
    assertThat(SHIPPED.find(Kind.FAULT, "COND-SOMETHING").map(Entry::code)).contains("COND-*");
    assertThat(SHIPPED.find(Kind.FAULT, "XID-79")).isEmpty();
  }

  @Test
  void shouldFindTheSameWordOfSeveralKinds() {
    assertThat(SHIPPED.find("breakeropen").stream().map(Entry::kind))
        .containsExactly(Kind.HOLD, Kind.EVENT);
  }

  @Test
  void shouldSayWhichFileAGapIsIn() {
    assertThat(SHIPPED.gaps(Kind.HOLD, List.of("NewHold")))
        .contains(
            "add an entry NewHold under holds of"
                + " detectors/src/main/resources/dev/rekindle/detect/knowledge/knowledge.yaml")
        .anyMatch(gap -> gap.startsWith("nothing is called NoCapacity any more"));
    var codes = SHIPPED.of(Kind.HOLD).stream().map(Entry::code).collect(Collectors.toSet());
    assertThat(SHIPPED.gaps(Kind.HOLD, codes)).isEmpty();
  }

  @Test
  void shouldRefuseWhatIsIncompleteOrUnknown() {
    Function<String, List<Entry>> read = KnowledgeReader::read;
    assertThat(read.apply("holds: {A: " + ENTRY + "}")).hasSize(1);
    for (var wrong :
        List.of(
            "holds: {A: {meaning: m, impact: i, does: d}}",
            "holds: {A: {meaning: m, impact: i, does: d, todo: ''}}",
            "holds: {A: {meaning: m, impact: i, does: d, todo: t, note: n}}",
            "holds: {A: " + ENTRY + ", A: " + ENTRY + "}",
            "alerts: {A: " + ENTRY + "}",
            "words: {A: " + ENTRY + "}",
            "holds: [A]")) {
      assertThatThrownBy(() -> read.apply(wrong)).as(wrong).isInstanceOf(RuntimeException.class);
    }
  }
}
