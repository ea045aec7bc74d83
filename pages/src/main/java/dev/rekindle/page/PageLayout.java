package dev.rekindle.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;

/**
 * What every page has around its content. Style and script stand in the page, so that a file needs
 * nothing beside it; the policy allows exactly these two by their hashes and nothing else.
 *
 * @param links where pages refer to
 * @param css the style
 * @param script the script
 * @param policy the content security policy
 */
record PageLayout(Links links, String css, String script, String policy) {
  static PageLayout of(Links links) {
    String css = resource("page.css");
    String script = resource("page.js");
    String policy =
        "default-src 'none'; base-uri 'none'; style-src "
            + hash(css)
            + "; script-src "
            + hash(script)
            + (links.present()
                ? "; connect-src 'self'; form-action 'self'; frame-ancestors 'none'"
                : "; form-action 'none'");
    return new PageLayout(links, css, script, policy);
  }

  private static String resource(String name) {
    try (InputStream in = PageLayout.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
