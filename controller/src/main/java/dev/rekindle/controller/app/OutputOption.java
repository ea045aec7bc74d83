package dev.rekindle.controller.app;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** {@code -o}, for commands that print what they have read. */
final class OutputOption {
  /** The forms. */
  enum Form {
    table,
    wide,
    json,
    yaml
  }

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      description = "One of: ${COMPLETION-CANDIDATES}.")
  private Form form = Form.table;

  /** Whether more columns are requested. */
  boolean wide() {
    return form == Form.wide;
  }

  /** Whether it is for people. */
  boolean isTable() {
    return form == Form.table || form == Form.wide;
  }

  /**
   * An object, or what stands for it as a table.
   *
   * @param object printed as kubectl prints objects
   */
  String of(Object object, Supplier<String> table, KubernetesClient client) {
    var serialization = client.getKubernetesSerialization();
    String text =
        switch (form) {
          case table, wide -> table.get();
          case json -> serialization.asJson(object);
          case yaml -> serialization.asYaml(object).replaceFirst("^---\n", "");
        };
    return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
  }

  /** Objects as the one object that kubectl prints for a list. */
  static Object listOf(List<?> items) {
    Map<String, Object> list = new LinkedHashMap<>();
    list.put("apiVersion", "v1");
    list.put("kind", "List");
    list.put("items", items);
    return list;
  }
}
