package dev.rekindle.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Javadoc of the API types as plain text, read from their sources. */
final class RecordDocs {
  private static final Path SOURCES = Path.of("src/main/java");

  private RecordDocs() {}

  /** The first paragraph of the type's Javadoc. */
  static String ofType(Class<?> type) {
    String doc = javadoc(type);
    int end = doc.indexOf("@param");
    String prose = end < 0 ? doc : doc.substring(0, end);
    return plain(prose.split("<p>", 2)[0]);
  }

  /** What the {@code @param} of the record component says. */
  static String ofComponent(Class<?> record, String component) {
    Matcher param =
        Pattern.compile("@param " + component + "\\b(.*?)(?=@param|$)", Pattern.DOTALL)
            .matcher(javadoc(record));
    if (!param.find() || param.group(1).isBlank()) {
      throw new IllegalStateException(record.getName() + "." + component + " has no @param");
    }
    return plain(param.group(1));
  }

  private static String javadoc(Class<?> type) {
    try {
      Path file =
          SOURCES.resolve(type.getName().replaceFirst("\\$.*", "").replace('.', '/') + ".java");
      Matcher doc =
          Pattern.compile(
                  "/\\*\\*((?:(?!\\*/).)*)\\*/(?:(?!/\\*\\*).)*?(?:record|class) "
                      + type.getSimpleName()
                      + "\\b",
                  Pattern.DOTALL)
              .matcher(Files.readString(file));
      if (!doc.find()) {
        throw new IllegalStateException(type.getName() + " has no Javadoc");
      }
      return doc.group(1).replaceAll("(?m)^\\s*\\* ?", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String plain(String javadoc) {
    return javadoc
        .replaceAll("\\{@(?:code|link|literal)\\s+(?:[\\w.]*#)?([^}]*)}", "$1")
        .replaceAll("\\s+", " ")
        .strip();
  }
}
