package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What the API server answers instead of doing what it is asked, drawn from a seed. */
final class Refusals {
  private record Kind(int status, String text, int retryAfter) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(403, "is forbidden: exceeded quota: jobs, requested: 1, used: 9, limited: 9", 0),
          new Kind(403, "User \"rekindle\" cannot do that in the namespace", 0),
          new Kind(413, "Request entity too large: limit is 3145728", 0),
          new Kind(422, "admission webhook \"guard\" denied the request: not allowed here", 0),
          new Kind(429, "too many requests, please try again later", 3),
          new Kind(500, "Internal error occurred: failed calling webhook \"guard\"", 0),
          new Kind(503, "the server is currently unable to handle the request", 0));

  /** Which of these is drawn depends on their number, and so do the outcomes of all seeds. */
  private static final List<Call> CALLS =
      List.copyOf(EnumSet.complementOf(EnumSet.of(Call.VOLUME)));

  private final Answers answers;
  private final RandomGenerator random;

  Refusals(Answers answers, RandomGenerator random) {
    this.answers = answers;
    this.random = random;
  }

  /**
   * Some of the calls, for all jobs, until then.
   *
   * @return what is refused, for people
   */
  String forAWhile(Instant until) {
    Kind kind = KINDS.get(random.nextInt(KINDS.size()));
    Set<Call> calls = EnumSet.noneOf(Call.class);
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      calls.add(CALLS.get(random.nextInt(CALLS.size())));
    }
    answers.add(
        new Answer(
            calls, null, kind.status(), kind.text(), Duration.ofSeconds(kind.retryAfter()), until));
    return "it answers %d to %s for a while".formatted(kind.status(), calls);
  }

  /**
   * One kind of call, any of them, for one job or for all nodes, for good: what then cannot be done
   * is held, and where not even that can be written an Event says so.
   *
   * @return what is refused, for people
   */
  String forGood(JobKey job) {
    Kind kind = KINDS.get(random.nextInt(KINDS.size()));
    Call call = CALLS.get(random.nextInt(CALLS.size()));
    Duration retryAfter = Duration.ofSeconds(kind.retryAfter());
    answers.add(
        new Answer(
            Set.of(call),
            call.ofNodes() ? null : job,
            kind.status(),
            kind.text(),
            retryAfter,
            null));
    return "it answers %d to %s of %s for good"
        .formatted(kind.status(), call, call.ofNodes() ? "nodes" : job);
  }
}
