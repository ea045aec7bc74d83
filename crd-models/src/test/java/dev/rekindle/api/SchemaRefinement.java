package dev.rekindle.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.CustomResource;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Adds to a generated schema what the generator leaves out: descriptions (from the Javadoc of the
 * records, so that they exist once), the order of the printer columns, enums for words kept as
 * text, the required spec, the empty group as the default of a group, and the rules for conditions.
 */
final class SchemaRefinement {
  private static final String WORDS = "\\^\\(([A-Za-z|]+)\\)\\$";

  private SchemaRefinement() {}

  static void apply(Class<? extends CustomResource<?, ?>> kind, CustomResourceDefinition crd) {
    crd.getSpec().getNames().setCategories(List.of("rekindle"));
    var version = crd.getSpec().getVersions().getFirst();
    List<String> order =
        Arrays.stream(kind.getAnnotationsByType(AdditionalPrinterColumn.class))
            .map(AdditionalPrinterColumn::name)
            .toList();
    version
        .getAdditionalPrinterColumns()
        .sort(Comparator.comparing(CustomResourceColumnDefinition::getName, byIndexIn(order)));

    JSONSchemaProps root = version.getSchema().getOpenAPIV3Schema();
    root.setDescription(RecordDocs.ofType(kind));
    root.setRequired(List.of("spec"));
    Type[] types = ((ParameterizedType) kind.getGenericSuperclass()).getActualTypeArguments();
    refine(property(root, "spec"), types[0]);
    if (types[1] != Void.class) {
      refine(property(root, "status"), types[1]);
    }
  }

  private static Comparator<String> byIndexIn(List<String> order) {
    return Comparator.comparingInt(order::indexOf);
  }

  private static void refine(JSONSchemaProps schema, Type type) {
    if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
      Type element = list.getActualTypeArguments()[0];
      if (element == Condition.class) {
        conditions(schema);
      } else {
        refine(schema.getItems().getSchema(), element);
      }
    } else if (type instanceof Class<?> record && record.isRecord()) {
      for (RecordComponent component : record.getRecordComponents()) {
        JSONSchemaProps property = property(schema, component.getName());
        property.setDescription(RecordDocs.ofComponent(record, component.getName()));
        refine(property, component.getGenericType());
        if (component.getType().isRecord() && hasDefaults(property)) {
          property.setDefault(JsonNodeFactory.instance.objectNode());
        }
      }
    }
    words(schema);
    if ("integer".equals(schema.getType())) {
      boundToJava(schema, type);
    }
  }

  /** The API server fills in what is in a group only where the group is there. */
  private static boolean hasDefaults(JSONSchemaProps group) {
    return group.getProperties().values().stream().anyMatch(p -> p.getDefault() != null);
  }

  /** A pattern that only lists words is an enum: the refusal then names the words. */
  private static void words(JSONSchemaProps schema) {
    @Nullable String pattern = schema.getPattern();
    if (pattern != null && pattern.matches(WORDS)) {
      schema.setPattern(null);
      schema.setEnum(
          Arrays.stream(pattern.replaceFirst(WORDS, "$1").split("\\|"))
              .map(word -> (JsonNode) new TextNode(word))
              .toList());
    }
  }

  /** A number that Java cannot hold would make a typed list throw for all objects of the kind. */
  private static void boundToJava(JSONSchemaProps schema, Type type) {
    boolean narrow = type == int.class || type == Integer.class;
    schema.setFormat(narrow ? "int32" : "int64");
  }

  private static void conditions(JSONSchemaProps list) {
    list.setXKubernetesListType("map");
    list.setXKubernetesListMapKeys(List.of("type"));
    JSONSchemaProps condition = list.getItems().getSchema();
    condition.setRequired(List.of("type", "status"));
    property(condition, "type").setMaxLength(316L);
    property(condition, "reason").setMaxLength((long) Bounds.LINE);
    property(condition, "message").setMaxLength(32_768L);
    property(condition, "lastTransitionTime").setFormat("date-time");
    property(condition, "observedGeneration").setFormat("int64");
    property(condition, "status").setPattern("^(True|False|Unknown)$");
    words(property(condition, "status"));
  }

  private static JSONSchemaProps property(JSONSchemaProps schema, String name) {
    return Objects.requireNonNull(schema.getProperties().get(name), name);
  }
}
