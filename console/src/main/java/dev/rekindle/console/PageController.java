package dev.rekindle.console;

import dev.rekindle.page.Incident;
import dev.rekindle.page.ListPage;
import dev.rekindle.page.ListPage.Filter;
import dev.rekindle.page.PageRenderer;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The pages. */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
class PageController {
  private static final int NAME = 253;
  private static final int CURSOR = 1024;
  private static final int ROWS = 100;
  private static final String EVENTS = "/api/v1/events";
  private static final MediaType MARKDOWN = MediaType.of("text/markdown; charset=utf-8");
  private static final MediaType HTML = MediaType.of("text/html; charset=utf-8");

  private final Archive archive;
  private final Guard guard;
  private final PageRenderer pages;
  private final KubernetesClient client;

  PageController(Archive archive, Guard guard, PageRenderer pages, KubernetesClient client) {
    this.archive = archive;
    this.guard = guard;
    this.pages = pages;
    this.client = client;
  }

  /** The first page. */
  @Get("/")
  HttpResponse<?> root() {
    return HttpResponse.seeOther(URI.create("/recoveries"));
  }

  /** The list. */
  @Get("/recoveries")
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> list(
      HttpRequest<?> request,
      @QueryValue(defaultValue = "") @Size(max = NAME) String namespace,
      @QueryValue(defaultValue = "") @Size(max = NAME) String cause,
      @QueryValue(defaultValue = "") @Size(max = NAME) String node,
      @QueryValue(defaultValue = "") @Size(max = NAME) String phase,
      @QueryValue(defaultValue = "") @Size(max = CURSOR) String cursor) {
    Filter filter = new Filter(namespace.strip(), cause.strip(), node.strip(), phase.strip());
    Visitor visitor = guard.visitor(request);
    Slice slice = archive.list(visitor, filter, Cursor.named(cursor), ROWS);
    String more = slice.next().map(next -> link(filter, next)).orElse("");
    return html(
        request,
        pages.list(
            new ListPage(
                slice.rows(),
                filter,
                more,
                slice.total(),
                archive.notices(visitor, filter.namespace())),
            events(filter.namespace())));
  }

  /** One recovery: a page, or by the ending of its name Markdown or JSON. */
  @Get("/recoveries/{namespace}/{name}")
  @Produces({MediaType.TEXT_HTML, MediaType.APPLICATION_JSON, "text/markdown"})
  HttpResponse<?> recovery(
      HttpRequest<?> request, @Size(max = NAME) String namespace, @Size(max = NAME) String name) {
    Visitor visitor = guard.visitor(request);
    if (name.endsWith(".md")) {
      Incident incident = archive.incident(visitor, namespace, without(name, ".md"));
      return Tagged.answer(request, pages.markdown(incident), MARKDOWN);
    }
    if (name.endsWith(".json")) {
      Incident incident = archive.incident(visitor, namespace, without(name, ".json"));
      return Tagged.json(request, client.getKubernetesSerialization().asJson(incident.recovery()));
    }
    Incident incident = archive.incident(visitor, namespace, name);
    return html(
        request, pages.recoveries("Recovery " + name, List.of(incident), events(namespace)));
  }

  /** One node. */
  @Get("/nodes/{node}")
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> node(HttpRequest<?> request, @Size(max = NAME) String node) {
    return html(request, pages.node(archive.node(guard.visitor(request), node)));
  }

  /** All nodes. */
  @Get("/fleet")
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> fleet(HttpRequest<?> request) {
    return html(request, pages.fleet(archive.fleet(guard.visitor(request))));
  }

  /** Policies, and approvals that are requested. */
  @Get("/policies")
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> policies(HttpRequest<?> request) {
    return html(request, pages.policies(archive.policies(guard.visitor(request)), EVENTS));
  }

  private static HttpResponse<?> html(HttpRequest<?> request, String page) {
    return Tagged.answer(request, page, HTML);
  }

  private static String without(String name, String ending) {
    return name.substring(0, name.length() - ending.length());
  }

  private static String events(String namespace) {
    return namespace.isEmpty() ? EVENTS : EVENTS + "?namespace=" + part(namespace);
  }

  private static String link(Filter filter, Cursor next) {
    return "/recoveries?namespace="
        + part(filter.namespace())
        + "&cause="
        + part(filter.cause())
        + "&node="
        + part(filter.node())
        + "&phase="
        + part(filter.phase())
        + "&cursor="
        + next.text();
  }

  private static String part(String word) {
    return URLEncoder.encode(word, StandardCharsets.UTF_8);
  }
}
