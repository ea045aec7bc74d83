package dev.rekindle.controller.recovery;

import java.util.Collection;
import java.util.Iterator;

/** Names for people: the first of them, and how many more there are. */
final class Names {
  private static final int MAX_LENGTH = 400;

  private Names() {}

  /** {@code node-1, node-2 and 690 more}. */
  static String of(Collection<String> names) {
    StringBuilder text = new StringBuilder();
    int named = 0;
    for (Iterator<String> all = names.iterator(); all.hasNext(); named++) {
      String name = all.next();
      if (named > 0 && text.length() + name.length() > MAX_LENGTH) {
        return text.append(" and ").append(names.size() - named).append(" more").toString();
      }
      text.append(named == 0 ? "" : ", ").append(name);
    }
    return text.toString();
  }
}
