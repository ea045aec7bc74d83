package dev.rekindle.console;

import dev.rekindle.console.UserAllowances.Use;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Identifies a user and checks what they may see, by answers of the API server: the console gives
 * out nothing that {@code kubectl} would not give the same person.
 */
@Singleton
class Access {
  /** A longer one is no token. */
  private static final int LONGEST_TOKEN = 16_384;

  /** So many tokens a second are reviewed that have not been valid here before. */
  static final int NEW_TOKENS = 20;

  /** For how long a token that was valid is reviewed again ahead of new ones. */
  private static final Duration REMEMBERED = Duration.ofDays(1);

  private static final String EVERYWHERE = "";

  private record Right(Visitor visitor, String resource, String namespace, String verb) {}

  private final KubernetesClient client;
  private final ConsoleConfig config;
  private final Reviews<String, Optional<Visitor>> visitors;
  private final Reviews<Right, Boolean> rights;

  /** The users of tokens that were valid, by hash. */
  private final Reviews<String, String> valid;

  private final Allowance newTokens;
  private final UserAllowances allowances;

  @Inject
  Access(KubernetesClient client, ConsoleConfig config) {
    this(client, config, System::nanoTime);
  }

  /**
   * The same.
   *
   * @param nanos a clock that never steps, in nanoseconds
   */
  Access(KubernetesClient client, ConsoleConfig config, LongSupplier nanos) {
    this.client = client;
    newTokens = new Allowance(NEW_TOKENS, nanos);
    this.config = config;
    Duration believed = Duration.ofSeconds(config.reviewSeconds());
    allowances = new UserAllowances(config.maxReviewsPerUser(), believed, nanos);
    InstantSource clock = InstantSource.system();
    visitors = new Reviews<>(believed, config.maxReviews(), clock);
    rights = new Reviews<>(believed, config.maxReviews(), clock);
    valid = new Reviews<>(REMEMBERED, config.maxReviews(), clock);
  }

  /**
   * The user of the token; empty where the API server does not know it.
   *
   * @throws Refused with 503 where too many tokens came that were never valid: a flood of them does
   *     not reach the API server, and users whose tokens were valid before do not notice it; with
   *     429 where their own reviews are too many
   */
  Optional<Visitor> visitor(String token) {
    if (token.isEmpty() || token.length() > LONGEST_TOKEN) {
      return Optional.empty();
    }
    String hash = hash(token);
    return visitors.get(hash, () -> admit(hash, token));
  }

  private Optional<Visitor> admit(String hash, String token) {
    Optional<String> owner = valid.known(hash);
    if (owner.isPresent()) {
      allowances.take(owner.get(), Use.PAGE);
    } else if (!newTokens.take()) {
      throw new Refused(Refused.Why.BUSY);
    }
    Optional<Visitor> visitor = review(token);
    visitor.ifPresent(known -> valid.put(hash, known.owner()));
    return visitor;
  }

  private Optional<Visitor> review(String token) {
    TokenReview review =
        client
            .resource(new TokenReviewBuilder().withNewSpec().withToken(token).endSpec().build())
            .create();
    if (review.getStatus() == null
        || !Boolean.TRUE.equals(review.getStatus().getAuthenticated())
        || review.getStatus().getUser() == null) {
      return Optional.empty();
    }
    UserInfo user = review.getStatus().getUser();
    return Optional.of(
        new Visitor(
            Objects.requireNonNullElse(user.getUsername(), ""),
            Objects.requireNonNullElse(user.getUid(), ""),
            Objects.requireNonNullElse(user.getGroups(), List.of()),
            Objects.requireNonNullElse(user.getExtra(), Map.of())));
  }

  /**
   * Whether they may see recoveries of that namespace.
   *
   * @throws Refused with 429, like the others that ask for one right, where the reviews for them
   *     are too many
   */
  boolean mayList(Visitor visitor, String namespace) {
    return mayListAll(visitor) || may(list(visitor, namespace), Use.PAGE);
  }

  boolean mayListAll(Visitor visitor) {
    return may(list(visitor, EVERYWHERE), Use.PAGE);
  }

  /** Whether they may see faults of nodes, which belong to no namespace. */
  boolean maySeeNodes(Visitor visitor) {
    return may(seeNodes(visitor), Use.PAGE);
  }

  /** Whether they may see policies, which belong to no namespace, and the prices in them. */
  boolean maySeePolicies(Visitor visitor) {
    return may(new Right(visitor, "recoverypolicies", EVERYWHERE, "list"), Use.PAGE);
  }

  /**
   * Whether they may be told that something changed there, in no namespace where it is empty. No
   * where the reviews for them are too many: what a listener misses is of no account.
   */
  boolean mayHear(Visitor visitor, String namespace) {
    try {
      return namespace.isEmpty()
          ? may(seeNodes(visitor), Use.STREAM)
          : may(list(visitor, EVERYWHERE), Use.STREAM) || may(list(visitor, namespace), Use.STREAM);
    } catch (Refused tooOften) {
      return false;
    }
  }

  /**
   * Those of the namespaces that they may see; so many are asked about, the rest is left out, also
   * where the reviews for them are too many.
   */
  Set<String> visible(Visitor visitor, Collection<String> namespaces) {
    if (mayListAll(visitor)) {
      return Set.copyOf(namespaces);
    }
    Set<String> visible = new HashSet<>();
    int left = config.maxNamespaces();
    for (String namespace : namespaces) {
      Right right = list(visitor, namespace);
      Optional<Boolean> known = rights.known(right);
      if (known.isEmpty() && left > 0) {
        known = ask(right);
        left = known.isEmpty() ? 0 : left - 1;
      }
      if (known.orElse(false)) {
        visible.add(namespace);
      }
    }
    return visible;
  }

  /** Whether some of the namespaces were left out that they might see. */
  boolean isPartial(Visitor visitor, Collection<String> namespaces) {
    return !mayListAll(visitor)
        && namespaces.stream().anyMatch(n -> rights.known(list(visitor, n)).isEmpty());
  }

  private Optional<Boolean> ask(Right right) {
    try {
      return Optional.of(may(right, Use.LIST));
    } catch (Refused tooOften) {
      return Optional.empty();
    }
  }

  private static Right list(Visitor visitor, String namespace) {
    return new Right(visitor, "recoveries", namespace, "list");
  }

  private static Right seeNodes(Visitor visitor) {
    return new Right(visitor, "nodefaults", EVERYWHERE, "list");
  }

  private boolean may(Right right, Use use) {
    return rights.get(right, () -> review(right, use));
  }

  private boolean review(Right right, Use use) {
    allowances.take(right.visitor().owner(), use);
    SubjectAccessReview review =
        client
            .resource(
                new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(right.visitor().name())
                    .withUid(right.visitor().uid())
                    .withGroups(right.visitor().groups())
                    .withExtra(right.visitor().extra())
                    .withNewResourceAttributes()
                    .withGroup("rekindle.dev")
                    .withVersion("v1alpha1")
                    .withResource(right.resource())
                    .withNamespace(right.namespace().isEmpty() ? null : right.namespace())
                    .withVerb(right.verb())
                    .endResourceAttributes()
                    .endSpec()
                    .build())
            .create();
    return review.getStatus() != null && Boolean.TRUE.equals(review.getStatus().getAllowed());
  }

  /** A token is remembered by its hash alone. */
  private static String hash(String token) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
