package dev.rekindle.console;

import java.util.List;
import java.util.Map;

/**
 * The user of a request, as the API server has authenticated it.
 *
 * @param name user name
 * @param uid its UID; may be empty
 * @param groups groups
 * @param extra what else the API server's authorisers may use
 */
record Visitor(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
  Visitor {
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }
}
