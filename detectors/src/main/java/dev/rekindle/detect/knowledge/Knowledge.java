package dev.rekindle.detect.knowledge;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All entries of {@code knowledge.yaml}. Codes of kernel logs are not among them: the catalogues
 * and rules say what those mean.
 */
public final class Knowledge {
  private static final String FILE =
      "detectors/src/main/resources/dev/rekindle/detect/knowledge/knowledge.yaml";

  private static final class Shipped {
    private static final Knowledge ALL = new Knowledge(KnowledgeReader.shipped());
  }

  private final List<Entry> entries;

  Knowledge(List<Entry> entries) {
    this.entries = List.copyOf(entries);
  }

  /** The entries that ship with this version; read once. */
  public static Knowledge shipped() {
    return Shipped.ALL;
  }

  /** All entries of a kind, in the order of the file. */
  public List<Entry> of(Kind kind) {
    return entries.stream().filter(e -> e.kind() == kind).toList();
  }

  /** The entry of a word; of several that fit, the one that says most of it. */
  public Optional<Entry> find(Kind kind, String word) {
    return of(kind).stream()
        .filter(e -> e.isAbout(word))
        .max(
            Comparator.comparingInt(
                (Entry e) -> e.isPattern() ? e.code().length() : Integer.MAX_VALUE));
  }

  /** The entries of a word, at most one of each kind: an event may be called as a hold is. */
  public List<Entry> find(String word) {
    return Stream.of(Kind.values()).flatMap(kind -> find(kind, word).stream()).toList();
  }

  /**
   * Where the entries of a kind and a vocabulary differ, for the tests that hold each vocabulary to
   * its entries.
   *
   * @param words the vocabulary
   * @param others entries that other tests cover
   * @return for each word without an entry of its own, and for each entry without a word, what to
   *     do
   */
  public List<String> gaps(Kind kind, Collection<String> words, Predicate<String> others) {
    List<String> codes = of(kind).stream().map(Entry::code).toList();
    return Stream.concat(
            words.stream()
                .filter(word -> !codes.contains(word))
                .map(
                    word -> "add an entry %s under %s of %s".formatted(word, kind.section(), FILE)),
            codes.stream()
                .filter(code -> !words.contains(code) && !others.test(code))
                .map(
                    code ->
                        "nothing is called %s any more: take its entry under %s out of %s"
                            .formatted(code, kind.section(), FILE)))
        .toList();
  }

  /** The same, of a vocabulary that is all there is of the kind. */
  public List<String> gaps(Kind kind, Collection<String> words) {
    return gaps(kind, words, _ -> false);
  }
}
