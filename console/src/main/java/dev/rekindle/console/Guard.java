package dev.rekindle.console;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.cookie.Cookie;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.function.Supplier;

/** Admits users whom the API server authenticates, and refuses all others. */
@Singleton
class Guard {
  /** The cookie in which a browser keeps the token that was typed in. */
  static final String COOKIE = "rekindle-token";

  private static final String BEARER = "bearer ";

  private final Access access;

  Guard(Access access) {
    this.access = access;
  }

  /**
   * Who asks.
   *
   * @throws Refused with 401 where no valid token came, 503 where the API server does not say
   */
  Visitor visitor(HttpRequest<?> request) {
    return answer(() -> access.visitor(token(request)))
        .orElseThrow(() -> new Refused(Refused.Why.UNKNOWN));
  }

  /** The same of a token that stands in no request yet. */
  boolean isSomebody(String token) {
    return answer(() -> access.visitor(token).isPresent());
  }

  /** Refuses where the API server would. */
  void require(Supplier<Boolean> right) {
    if (!answer(right)) {
      throw new Refused(Refused.Why.FORBIDDEN);
    }
  }

  /**
   * What the API server says.
   *
   * @throws Refused where it says nothing
   */
  <T> T answer(Supplier<T> question) {
    try {
      return question.get();
    } catch (KubernetesClientException e) {
      throw new Refused(Refused.Why.NO_ANSWER, e);
    }
  }

  private static String token(HttpRequest<?> request) {
    String header = request.getHeaders().get(HttpHeaders.AUTHORIZATION);
    if (header != null) {
      return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
          ? header.substring(BEARER.length()).strip()
          : "";
    }
    return request.getCookies().findCookie(COOKIE).map(Cookie::getValue).orElse("");
  }
}
