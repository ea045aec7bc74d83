package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.InPlaceScene.NOW;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;

/** A gang that was killed in place. */
abstract class InPlaceVerifyingFixture {
  static RankView rank(PodView pod, long first, long last) {
    return new RankView(
        pod.job(),
        pod.name(),
        pod.uid(),
        pod.node(),
        pod.restarts(),
        first,
        last,
        NOW,
        NOW,
        NOW,
        null,
        null,
        false,
        false,
        null,
        null,
        null,
        null);
  }
}
