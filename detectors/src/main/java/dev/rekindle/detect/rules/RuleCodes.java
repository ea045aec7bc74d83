package dev.rekindle.detect.rules;

import dev.rekindle.detect.kernel.Source;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads which codes, of which source, a rule is for. */
final class RuleCodes {
  private RuleCodes() {}

  /** The only source that a rule names. */
  static Source source(YamlMap map) {
    var named = Arrays.stream(Source.values()).filter(source -> map.has(source.word())).toList();
    if (named.size() != 1) {
      throw map.wrong(
          "names "
              + (named.isEmpty() ? "no source" : "more than one source")
              + "; it takes one of "
              + Source.words());
    }
    return named.getFirst();
  }

  /** The codes of that source; empty for all. */
  static List<Rule.Codes> read(YamlMap map, Source source) {
    var field = source.word();
    if (map.isText(field)) {
      if (map.text(field).equals("all")) {
        return List.of();
      }
      throw map.wrong(field, "is neither a list of codes nor all");
    }
    return map.texts(field).stream().map(code -> codes(map, source, code)).toList();
  }

  /** Names such as {@code xid 79} from lists of codes by their source. */
  static Set<String> names(YamlMap map) {
    Set<String> names = new LinkedHashSet<>();
    for (var source : Source.values()) {
      if (map.has(source.word())) {
        for (var code : map.texts(source.word())) {
          var one = codes(map, source, code);
          if (!one.first().equals(one.last())) {
            throw map.wrong(source.word(), "has '" + code + "'; it takes single codes");
          }
          names.add(source.word() + " " + one.first());
        }
      }
    }
    if (names.isEmpty()) {
      throw map.wrong("names no code");
    }
    return names;
  }

  private static Rule.Codes codes(YamlMap map, Source source, String text) {
    if (source != Source.XID && source != Source.SXID) {
      if (!text.matches("[a-z][-a-z0-9]{0,40}")) {
        throw map.wrong(source.word(), "has '" + text + "', which is no word such as health-lost");
      }
      return new Rule.Codes(text, text);
    }
    if (!text.matches("\\d{1,9}(-\\d{1,9})?")) {
      throw map.wrong(source.word(), "has '" + text + "', which is neither 79 nor 144-150");
    }
    var dash = text.indexOf('-');
    var first = String.valueOf(Integer.parseInt(dash < 0 ? text : text.substring(0, dash)));
    var last = dash < 0 ? first : String.valueOf(Integer.parseInt(text.substring(dash + 1)));
    if (Integer.parseInt(first) > Integer.parseInt(last)) {
      throw map.wrong(source.word(), "has '" + text + "', which ends before it begins");
    }
    return new Rule.Codes(first, last);
  }
}
