package dev.rekindle.testbed.scale;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes that the API server has answered, as its own metrics count them.
 *
 * @param counts by verb, resource and subresource
 */
record Requests(Map<String, Long> counts) {
  private static final Pattern LINE =
      Pattern.compile("^apiserver_request_total\\{(.*)} (\\S+)$", Pattern.MULTILINE);
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  static Requests read(KubernetesClient client) {
    return of(client.raw("/metrics"));
  }

  static Requests of(String metrics) {
    Map<String, Long> counts = new TreeMap<>();
    Matcher line = LINE.matcher(metrics);
    while (line.find()) {
      Map<String, String> labels = new TreeMap<>();
      Matcher label = LABEL.matcher(line.group(1));
      while (label.find()) {
        labels.put(label.group(1), label.group(2));
      }
      String verb = labels.getOrDefault("verb", "");
      boolean writes = verb.matches("POST|PUT|PATCH|DELETE|APPLY");
      if (writes && labels.getOrDefault("code", "").startsWith("2")) {
        String sub = labels.getOrDefault("subresource", "");
        String what =
            verb + " " + labels.getOrDefault("resource", "") + (sub.isEmpty() ? "" : "/" + sub);
        counts.merge(what, (long) Double.parseDouble(line.group(2)), Long::sum);
      }
    }
    return new Requests(counts);
  }

  /** What has been added since another reading. */
  Map<String, Long> since(Requests before) {
    Map<String, Long> added = new TreeMap<>();
    counts.forEach(
        (what, count) -> {
          long more = count - before.counts().getOrDefault(what, 0L);
          if (more > 0) {
            added.put(what, more);
          }
        });
    return added;
  }
}
