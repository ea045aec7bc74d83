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
  private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

  Visitor {
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }

  /**
   * The user to whom it counts what the console spends. A person who may make a service account in
   * a namespace can make hundreds: all of a namespace count as one.
   */
  String owner() {
    int end = name.lastIndexOf(':');
    return name.startsWith(SERVICE_ACCOUNT) && end >= SERVICE_ACCOUNT.length()
        ? name.substring(0, end)
        : name;
  }
}
