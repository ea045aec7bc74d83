package dev.rekindle.console;

import dev.rekindle.page.PageRenderer;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;

/** Headers that go with every answer. */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
class SafeHeaders {
  private final PageRenderer pages;

  SafeHeaders(PageRenderer pages) {
    this.pages = pages;
  }

  @ResponseFilter
  void add(MutableHttpResponse<?> response) {
    response
        .header("Content-Security-Policy", pages.policy())
        .header("X-Content-Type-Options", "nosniff")
        .header("X-Frame-Options", "DENY")
        .header("Referrer-Policy", "same-origin");
  }
}
