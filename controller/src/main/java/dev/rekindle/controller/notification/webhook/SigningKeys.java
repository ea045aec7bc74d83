package dev.rekindle.controller.notification.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of a webhook's signature, as Standard Webhooks has them: {@code whsec_} and 24 to 64
 * bytes in base64. While keys are changed there are two, and receivers accept either.
 */
final class SigningKeys {
  /** Most keys of one webhook: the new one, the old one, and room for a mistake. */
  static final int MOST = 4;

  private static final String PREFIX = "whsec_";
  private static final String VERSION = "v1,";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SHORTEST = 24;
  private static final int LONGEST = 64;

  private final List<byte[]> keys;

  private SigningKeys(List<byte[]> keys) {
    this.keys = keys;
  }

  /**
   * Reads keys that are separated by white space.
   *
   * @throws IllegalArgumentException with a reason that quotes nothing
   */
  static SigningKeys parse(String text) {
    List<byte[]> keys = new ArrayList<>();
    for (String word : text.strip().split("\\s+", -1)) {
      if (!word.isEmpty()) {
        keys.add(key(word));
      }
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("the secret has no key");
    }
    if (keys.size() > MOST) {
      throw new IllegalArgumentException("the secret has more than " + MOST + " keys");
    }
    return new SigningKeys(keys);
  }

  private static byte[] key(String word) {
    byte[] key;
    try {
      String base64 = word.startsWith(PREFIX) ? word.substring(PREFIX.length()) : word;
      key = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException noBase64) {
      // Its message may quote the key.
      throw new IllegalArgumentException("a key of the secret is no base64");
    }
    if (key.length < SHORTEST || key.length > LONGEST) {
      throw new IllegalArgumentException(
          "a key of the secret has %d bytes, not %d to %d"
              .formatted(key.length, SHORTEST, LONGEST));
    }
    return key;
  }

  /** The header {@code webhook-signature}: one signature for each key. */
  String sign(String id, Instant time, byte[] body) {
    byte[] head = (id + "." + time.getEpochSecond() + ".").getBytes(StandardCharsets.UTF_8);
    return keys.stream()
        .map(key -> VERSION + Base64.getEncoder().encodeToString(hmac(key, head, body)))
        .collect(Collectors.joining(" "));
  }

  private static byte[] hmac(byte[] key, byte[] head, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      mac.update(head);
      return mac.doFinal(body);
    } catch (GeneralSecurityException none) {
      throw new IllegalStateException("every Java has " + ALGORITHM, none);
    }
  }
}
