package dev.rekindle.controller.cache;

import dev.rekindle.api.Scorecard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What policies would have done, by policy. Changes wake no reconciler: only its writer reads it.
 */
final class Scorecards implements ViewFeed<Scorecard> {
  private final Table<Scored> cards = new Table<>();

  private record Scored(String policy, Scorecard card) {}

  @Override
  public void present(String key, @Nullable String resourceVersion, Scorecard card) {
    cards.put(key, resourceVersion, new Scored(key, card));
  }

  @Override
  public void gone(String key, @Nullable String resourceVersion) {
    cards.remove(key, resourceVersion);
  }

  List<String> policies() {
    return cards.all().stream().map(Scored::policy).toList();
  }

  Scorecard of(String policy) {
    return cards.get(policy).map(Scored::card).orElse(Scorecard.NONE);
  }
}
