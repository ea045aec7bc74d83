package dev.rekindle.console;

import java.util.List;
import java.util.Map;

/**
 * Who asks, as the API server knows them.
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
