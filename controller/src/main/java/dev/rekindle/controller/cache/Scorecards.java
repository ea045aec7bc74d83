package dev.rekindle.controller.cache;

import dev.rekindle.api.Scorecard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scorecards of mode observe, by policy. Changes trigger no reconcile, because only their writer
 * reads them.
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
