package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Writes the description of the JSON interface from its controller and records. */
class OpenApiTest {
  private static final Path FILE = Path.of("src/main/resources/dev/rekindle/console/openapi.json");
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** What the operations answer with, by the name of their method. */
  private static final Map<String, Class<?>> ANSWERS =
      Map.of(
          "recoveries",
          RecoveryList.class,
          "faults",
          FaultList.class,
          "policies",
          PolicyList.class);

  @Test
  void shouldDescribeTheInterfaceAsItIs() throws IOException {
    String now = JSON.writeValueAsString(document()) + "\n";
    String stored = Files.exists(FILE) ? Files.readString(FILE) : "";
    if (!stored.equals(now)) {
      Files.writeString(FILE, now);
    }
    assertThat(stored)
        .as(FILE + " differed and has been written anew: look at it, commit it, run again")
        .isEqualTo(now);
  }

  private static ObjectNode document() {
    ObjectNode root = JSON.createObjectNode();
    root.put("openapi", "3.1.0");
    root.putObject("info").put("title", "Rekindle console").put("version", "v1");
    ObjectNode paths = root.putObject("paths");
    String base = ApiController.class.getAnnotation(Controller.class).value();
    Arrays.stream(ApiController.class.getDeclaredMethods())
        .filter(m -> m.isAnnotationPresent(Get.class))
        .sorted(Comparator.comparing(OpenApiTest::path))
        .forEach(m -> operation(paths.putObject(base + path(m)).putObject("get"), m));
    ObjectNode components = root.putObject("components");
    components
        .putObject("securitySchemes")
        .putObject("token")
        .put("type", "http")
        .put("scheme", "bearer");
    ObjectNode schemas = components.putObject("schemas");
    List.of(
            RecoveryList.class,
            RecoveryItem.class,
            FaultList.class,
            FaultItem.class,
            PolicyList.class,
            PolicyItem.class,
            Problem.class)
        .forEach(type -> schema(schemas.putObject(type.getSimpleName()), type));
    root.putArray("security").addObject().putArray("token");
    return root;
  }

  private static String path(Method method) {
    Get get = method.getAnnotation(Get.class);
    return get.uri().equals("/") && !get.value().isEmpty() ? get.value() : get.uri();
  }

  private static void operation(ObjectNode operation, Method method) {
    operation.put("operationId", method.getName());
    var parameters = operation.putArray("parameters");
    for (Parameter parameter : method.getParameters()) {
      boolean inPath = path(method).contains("{" + parameter.getName() + "}");
      if (inPath || parameter.isAnnotationPresent(QueryValue.class)) {
        ObjectNode one = parameters.addObject();
        one.put("name", parameter.getName());
        one.put("in", inPath ? "path" : "query");
        one.put("required", inPath);
        bounds(one.putObject("schema"), parameter);
      }
    }
    ObjectNode responses = operation.putObject("responses");
    Class<?> answer = ANSWERS.get(method.getName());
    ObjectNode content = responses.putObject("200").put("description", "OK").putObject("content");
    if (method.getName().equals("events")) {
      content.putObject("text/event-stream");
    } else if (answer == null) {
      content.putObject("application/json").putObject("schema").put("type", "object");
    } else {
      reference(content.putObject("application/json").putObject("schema"), answer);
    }
    for (String status : List.of("400", "401", "403", "404", "429", "503")) {
      reference(
          responses
              .putObject(status)
              .put("description", "no answer")
              .putObject("content")
              .putObject("application/json")
              .putObject("schema"),
          Problem.class);
    }
  }

  private static void bounds(ObjectNode schema, Parameter parameter) {
    schema.put("type", parameter.getType() == int.class ? "integer" : "string");
    Size size = parameter.getAnnotation(Size.class);
    if (size != null) {
      schema.put("maxLength", size.max());
    }
    Min min = parameter.getAnnotation(Min.class);
    Max max = parameter.getAnnotation(Max.class);
    if (min != null && max != null) {
      schema.put("minimum", min.value()).put("maximum", max.value());
    }
  }

  private static void schema(ObjectNode schema, Class<?> type) {
    schema.put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    for (RecordComponent component : type.getRecordComponents()) {
      ObjectNode property = properties.putObject(component.getName());
      if (component.getGenericType() instanceof ParameterizedType list) {
        Class<?> item = (Class<?>) list.getActualTypeArguments()[0];
        property.put("type", "array");
        value(property.putObject("items"), item);
      } else {
        value(property, component.getType());
      }
    }
  }

  private static void value(ObjectNode property, Class<?> type) {
    if (type.isRecord()) {
      reference(property, type);
    } else {
      property.put("type", word(type));
    }
  }

  private static String word(Class<?> type) {
    if (type == boolean.class) {
      return "boolean";
    }
    if (type == Double.class) {
      return "number";
    }
    return type == int.class || type == long.class ? "integer" : "string";
  }

  private static void reference(ObjectNode schema, Class<?> type) {
    schema.put("$ref", "#/components/schemas/" + type.getSimpleName());
  }
}
