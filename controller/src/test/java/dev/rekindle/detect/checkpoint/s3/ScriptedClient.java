package dev.rekindle.detect.checkpoint.s3;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/** Answers requests for pages with texts, one after another and around; ranges with zeros. */
final class ScriptedClient extends HttpClient {
  private final List<byte[]> pages;
  private int asked;

  ScriptedClient(List<byte[]> pages) {
    this.pages = List.copyOf(pages);
  }

  private record Answer<T>(HttpRequest request, int statusCode, T body) implements HttpResponse<T> {
    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of("Content-Length", List.of("4096")), (_, _) -> true);
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return Optional.empty();
    }

    @Override
    public URI uri() {
      return request.uri();
    }

    @Override
    public Version version() {
      return Version.HTTP_1_1;
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    var range = request.headers().firstValue("Range").orElse("");
    var listing = request.uri().getRawQuery() != null;
    var body = listing ? pages.get(asked++ % pages.size()) : zeros(range);
    var status = listing || range.isEmpty() ? 200 : 206;
    var info = new Answer<>(request, status, body);
    var subscriber =
        handler.apply(
            new HttpResponse.ResponseInfo() {
              @Override
              public int statusCode() {
                return status;
              }

              @Override
              public HttpHeaders headers() {
                return info.headers();
              }

              @Override
              public Version version() {
                return Version.HTTP_1_1;
              }
            });
    subscriber.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {}
        });
    subscriber.onNext(List.of(ByteBuffer.wrap(body)));
    subscriber.onComplete();
    return subscriber
        .getBody()
        .<HttpResponse<T>>thenApply(read -> new Answer<>(request, status, read))
        .toCompletableFuture();
  }

  /** {@code bytes=0-99} requests a hundred. */
  private static byte[] zeros(String range) {
    if (range.isEmpty()) {
      return new byte[0];
    }
    var parts = range.substring("bytes=".length()).split("-", 2);
    return new byte[Math.toIntExact(Long.parseLong(parts[1]) - Long.parseLong(parts[0]) + 1)];
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler) throws IOException {
    throw new IOException("requests are sent without waiting");
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushed) {
    return sendAsync(request, handler);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return Optional.empty();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return Optional.empty();
  }

  @Override
  public Redirect followRedirects() {
    return Redirect.NEVER;
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return Optional.empty();
  }

  @Override
  public SSLContext sslContext() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public SSLParameters sslParameters() {
    return new SSLParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return Optional.empty();
  }

  @Override
  public Version version() {
    return Version.HTTP_1_1;
  }

  @Override
  public Optional<Executor> executor() {
    return Optional.empty();
  }
}
