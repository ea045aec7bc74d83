package dev.rekindle.console;

import dev.rekindle.page.PageRenderer;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;
import java.net.URI;

/** Says why there is no answer: to programs as JSON, to people as a page. */
@Singleton
@Produces
class Refusals implements ExceptionHandler<Refused, HttpResponse<?>> {
  private final PageRenderer pages;

  Refusals(PageRenderer pages) {
    this.pages = pages;
  }

  @Override
  public HttpResponse<?> handle(HttpRequest request, Refused refused) {
    HttpStatus status = refused.why().status();
    String text = refused.why().text();
    MutableHttpResponse<Object> response = HttpResponse.status(status);
    if (refused.retryAfter().isPositive()) {
      long seconds = refused.retryAfter().plusSeconds(1).minusNanos(1).toSeconds();
      response.header(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    }
    if (request.getPath().startsWith("/api/")) {
      return response
          .contentType(MediaType.APPLICATION_JSON_TYPE)
          .body(new Problem(status.getCode(), text));
    }
    if (status == HttpStatus.UNAUTHORIZED) {
      return HttpResponse.seeOther(URI.create("/login"));
    }
    return response
        .contentType(MediaType.TEXT_HTML_TYPE)
        .body(pages.message(status.getReason(), text));
  }
}
