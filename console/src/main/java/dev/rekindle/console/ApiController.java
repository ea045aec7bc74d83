package dev.rekindle.console;

import dev.rekindle.page.FaultRow;
import dev.rekindle.page.Incident;
import dev.rekindle.page.ListPage.Filter;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.sse.Event;
import io.micronaut.json.JsonMapper;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.reactivestreams.Publisher;

/** The JSON interface; {@code /api/v1/openapi.json} describes it. */
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
class ApiController {
  private static final int NAME = 253;
  private static final int CURSOR = 1024;

  private final Archive archive;
  private final Guard guard;
  private final Changes changes;
  private final JsonMapper json;
  private final KubernetesClient client;

  ApiController(
      Archive archive, Guard guard, Changes changes, JsonMapper json, KubernetesClient client) {
    this.archive = archive;
    this.guard = guard;
    this.changes = changes;
    this.json = json;
    this.client = client;
  }

  /** A part of the list of recoveries. */
  @Get("/recoveries")
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<?> recoveries(
      HttpRequest<?> request,
      @QueryValue(defaultValue = "") @Size(max = NAME) String namespace,
      @QueryValue(defaultValue = "") @Size(max = NAME) String cause,
      @QueryValue(defaultValue = "") @Size(max = NAME) String node,
      @QueryValue(defaultValue = "") @Size(max = NAME) String phase,
      @QueryValue(defaultValue = "") @Size(max = CURSOR) String cursor,
      @QueryValue(defaultValue = "50") @Min(1) @Max(500) int limit)
      throws IOException {
    Visitor visitor = guard.visitor(request);
    Slice slice =
        archive.list(
            visitor, new Filter(namespace, cause, node, phase), Cursor.named(cursor), limit);
    return Tagged.json(
        request,
        json.writeValueAsString(
            new RecoveryList(
                slice.rows().stream().map(RecoveryItem::of).toList(),
                slice.next().map(Cursor::text).orElse(null),
                slice.total())));
  }

  /** One recovery, as the API server has it. */
  @Get("/recoveries/{namespace}/{name}")
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<?> recovery(
      HttpRequest<?> request, @Size(max = NAME) String namespace, @Size(max = NAME) String name) {
    Incident incident = archive.incident(guard.visitor(request), namespace, name);
    return Tagged.json(request, client.getKubernetesSerialization().asJson(incident.recovery()));
  }

  /** Faults of nodes. */
  @Get("/faults")
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<?> faults(
      HttpRequest<?> request, @QueryValue(defaultValue = "") @Size(max = NAME) String node)
      throws IOException {
    List<FaultItem> items =
        archive.faults(guard.visitor(request)).stream()
            .filter(f -> node.isEmpty() || f.node().equals(node))
            .sorted(Comparator.comparing(FaultRow::name))
            .map(FaultItem::of)
            .toList();
    return Tagged.json(request, json.writeValueAsString(new FaultList(items)));
  }

  /** Policies: pause, windows, prices. */
  @Get("/policies")
  @Produces(MediaType.APPLICATION_JSON)
  HttpResponse<?> policies(HttpRequest<?> request) throws IOException {
    return Tagged.json(
        request,
        json.writeValueAsString(
            new PolicyList(
                archive.policyRows(guard.visitor(request)).stream().map(PolicyItem::of).toList())));
  }

  /** A word whenever something changed that the visitor may see; ends after a while. */
  @Get(value = "/events", produces = MediaType.TEXT_EVENT_STREAM)
  Publisher<Event<String>> events(
      HttpRequest<?> request, @QueryValue(defaultValue = "") @Size(max = NAME) String namespace) {
    Visitor visitor = guard.visitor(request);
    if (!namespace.isEmpty() && !archive.mayHear(visitor, namespace)) {
      throw new Refused(Refused.Why.FORBIDDEN);
    }
    if (!changes.hasRoom(visitor)) {
      throw new Refused(Refused.Why.FULL);
    }
    return changes
        .listen(
            visitor,
            changed ->
                (namespace.isEmpty() || changed.isEmpty() || changed.equals(namespace))
                    && archive.isTold(visitor, changed))
        .map(word -> Event.of(word).name(word));
  }
}
