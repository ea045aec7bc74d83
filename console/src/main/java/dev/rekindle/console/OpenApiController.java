package dev.rekindle.console;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Gives out the description of the JSON interface, which the build writes. */
@Controller("/api/v1/openapi.json")
@ExecuteOn(TaskExecutors.BLOCKING)
class OpenApiController {
  /** The description. */
  @Get
  @Produces(MediaType.APPLICATION_JSON)
  String document() throws IOException {
    try (InputStream in = OpenApiController.class.getResourceAsStream("openapi.json")) {
      return new String(
          Objects.requireNonNull(in, "openapi.json").readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
