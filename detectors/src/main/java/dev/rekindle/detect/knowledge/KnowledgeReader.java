package dev.rekindle.detect.knowledge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Reads the entries, and refuses one that lacks a field or has one that is not known. */
final class KnowledgeReader {
  private static final String NAME = "knowledge.yaml";
  private static final String DIAGNOSIS = "diagnosis";
  private static final Set<String> TEXTS = Set.of("meaning", "impact", "does", "todo");

  private KnowledgeReader() {}

  static List<Entry> shipped() {
    try (var data = KnowledgeReader.class.getResourceAsStream(NAME)) {
      if (data == null) {
        throw new IllegalStateException(NAME + " is missing from the jar");
      }
      return read(new String(data.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The entries of a text.
   *
   * @throws RuntimeException naming the entry that is wrong; the text ships with the program
   */
  static List<Entry> read(String yaml) {
    // A word that stands twice must not lose one of its entries without a sign.
    var settings = LoadSettings.builder().setAllowDuplicateKeys(false).build();
    List<Entry> entries = new ArrayList<>();
    map(NAME, new Load(settings).loadFromString(yaml))
        .forEach(
            (section, words) -> {
              Kind kind = Kind.of(section).orElseThrow(() -> wrong(section, "is no kind of entry"));
              map(section, words)
                  .forEach((code, fields) -> entries.add(entry(kind, code, map(code, fields))));
            });
    return entries;
  }

  private static Entry entry(Kind kind, String code, Map<String, Object> fields) {
    for (var field : fields.keySet()) {
      if (!TEXTS.contains(field) && !field.equals(DIAGNOSIS)) {
        throw wrong(code, "has an unknown field " + field);
      }
    }
    if (fields.containsKey(DIAGNOSIS) != (kind == Kind.ALERT)) {
      throw wrong(code, "needs the field diagnosis if, and only if, it is an alert");
    }
    return new Entry(
        kind,
        code,
        text(code, fields, "meaning"),
        text(code, fields, "impact"),
        text(code, fields, "does"),
        fields.get(DIAGNOSIS) instanceof List<?> list
            ? list.stream().map(String::valueOf).toList()
            : List.of(),
        text(code, fields, "todo"));
  }

  private static String text(String code, Map<String, Object> fields, String field) {
    if (fields.get(field) instanceof String text && !text.isBlank()) {
      return text.strip();
    }
    throw wrong(code, "lacks the text " + field);
  }

  private static Map<String, Object> map(String name, Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> typed = new LinkedHashMap<>();
      map.forEach((key, each) -> typed.put(String.valueOf(key), each));
      return typed;
    }
    throw wrong(name, "is not a mapping");
  }

  private static IllegalArgumentException wrong(String where, String what) {
    return new IllegalArgumentException(NAME + ": " + where + " " + what);
  }
}
