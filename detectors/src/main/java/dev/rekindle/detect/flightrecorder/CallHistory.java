package dev.rekindle.detect.flightrecorder;

import dev.rekindle.detect.flightrecorder.CallPattern.Departure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The collectives of one rank in their order, over all groups, and whether they repeat. Of sends
 * and receives the peer may be the one that has left its half out: they do not count.
 *
 * <p>The period is the distance at which the fewest calls differ; the smallest of several. A call
 * that differs counts as a departure only where two whole rounds before it did not, and where these
 * are all that is known or eight rounds: programs whose threads take turns as they like differ now
 * and then.
 */
final class CallHistory {
  /** A ring of the recorder has 2,000 entries unless a job says otherwise. */
  private static final int MOST = 2048;

  private static final int STEADY = 8;

  private final List<Made> calls = new ArrayList<>();

  private record Made(ProcessGroup group, long sequence, String call) {}

  private record Kind(ProcessGroup group, String call) {}

  /** Adds the next call. */
  void add(ProcessGroup group, Collective call) {
    calls.add(new Made(group, call.sequence(), call.call()));
  }

  /** What they show. */
  CallPattern pattern() {
    var newest = calls.subList(Math.max(0, calls.size() - MOST), calls.size());
    int[] kinds = kinds(newest);
    int period = period(kinds);
    if (period == 0) {
      return CallPattern.UNKNOWN;
    }
    int left = -1;
    int run = 0;
    for (int i = period; i < kinds.length; i++) {
      if (kinds[i] == kinds[i - period]) {
        run++;
        continue;
      }
      if (run >= CallPattern.ROUNDS * period) {
        left = run == i - period || run >= STEADY * period ? i : -1;
      }
      run = 0;
    }
    boolean regular = run >= CallPattern.ROUNDS * period;
    if (left < 0) {
      return regular ? new CallPattern(period, null, 0) : CallPattern.UNKNOWN;
    }
    int since = kinds.length - left;
    if (!regular && since > CallPattern.ROUNDS * period) {
      return CallPattern.UNKNOWN;
    }
    var made = newest.get(left);
    var usual = usual(made, newest.get(left - period));
    return new CallPattern(
        period, new Departure(made.group().label(), made.sequence(), made.call(), usual), since);
  }

  private static String usual(Made made, Made usual) {
    return made.group().equals(usual.group())
        ? usual.call()
        : usual.call() + " of " + usual.group().label();
  }

  private static int[] kinds(List<Made> calls) {
    Map<Kind, Integer> numbers = new HashMap<>();
    return calls.stream()
        .mapToInt(
            made -> {
              int next = numbers.size();
              return numbers.computeIfAbsent(new Kind(made.group(), made.call()), _ -> next);
            })
        .toArray();
  }

  /** 0 where there are no three rounds of anything, or half of the calls differ. */
  private static int period(int[] kinds) {
    int best = kinds.length / 2;
    int period = 0;
    for (int p = 1; p <= kinds.length / (CallPattern.ROUNDS + 1); p++) {
      int differ = differ(kinds, p, best);
      if (differ < best) {
        best = differ;
        period = p;
      }
      if (best == 0) {
        break;
      }
    }
    return period;
  }

  /** How many differ from the call so far before them; no more than so many are counted. */
  private static int differ(int[] kinds, int period, int most) {
    int start = Arrays.mismatch(kinds, period, kinds.length, kinds, 0, kinds.length - period);
    int differ = 0;
    for (int i = start < 0 ? kinds.length : start + period; i < kinds.length; i++) {
      if (kinds[i] != kinds[i - period] && ++differ >= most) {
        break;
      }
    }
    return differ;
  }
}
