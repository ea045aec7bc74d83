package dev.rekindle.console;

import dev.rekindle.page.PageRenderer;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.cookie.Cookie;
import io.micronaut.http.cookie.SameSite;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * For browsers that no proxy gives a token: it is typed in, checked, and kept by the browser in a
 * cookie that no script reads and no other site sends.
 */
@Controller("/login")
@ExecuteOn(TaskExecutors.BLOCKING)
class LoginController {
  private static final Duration KEPT = Duration.ofHours(8);

  /** Browsers keep no longer cookie. */
  private static final int LONGEST = 3_800;

  private final Guard guard;
  private final PageRenderer pages;

  LoginController(Guard guard, PageRenderer pages) {
    this.guard = guard;
    this.pages = pages;
  }

  /** The form. */
  @Get
  @Produces(MediaType.TEXT_HTML)
  String form() {
    return pages.login("");
  }

  /** Takes a token. */
  @Post
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> login(HttpRequest<?> request, @Body Map<String, String> form) {
    if (!isOfThisSite(request)) {
      throw new Refused(Refused.Why.FORBIDDEN);
    }
    String token = Objects.requireNonNullElse(form.get("token"), "").strip();
    if (token.length() > LONGEST) {
      return HttpResponse.badRequest(
          pages.login("This token is too long for a browser's cookie; use a proxy that sends it."));
    }
    if (!guard.isSomebody(token)) {
      return HttpResponse.unauthorized()
          .contentType(MediaType.TEXT_HTML_TYPE)
          .body(pages.login("The cluster does not know this token."));
    }
    return HttpResponse.seeOther(URI.create("/recoveries"))
        .cookie(
            Cookie.of(Guard.COOKIE, token)
                .httpOnly(true)
                .secure(isEncrypted(request))
                .sameSite(SameSite.Strict)
                .path("/")
                .maxAge(KEPT));
  }

  /** A page of another site may not log a browser in as another user. */
  private static boolean isOfThisSite(HttpRequest<?> request) {
    String origin = request.getHeaders().get(HttpHeaders.ORIGIN);
    String host = request.getHeaders().get(HttpHeaders.HOST);
    return origin == null || origin.equals("http://" + host) || origin.equals("https://" + host);
  }

  /** An ingress sets the header; a port forward does not use TLS. */
  private static boolean isEncrypted(HttpRequest<?> request) {
    return "https".equals(request.getHeaders().get("X-Forwarded-Proto")) || request.isSecure();
  }
}
