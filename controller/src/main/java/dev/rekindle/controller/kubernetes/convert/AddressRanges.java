package dev.rekindle.controller.kubernetes.convert;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** Counts addresses of lists like {@code 10.0.0.1} and {@code 10.0.0.10-10.0.0.20}. */
final class AddressRanges {
  private record Range(BigInteger first, BigInteger last) {}

  private AddressRanges() {}

  /** How many addresses the first lists and the second does not; empty where one is unreadable. */
  static OptionalLong count(List<String> in, List<String> out) {
    try {
      List<Range> listed = merged(in);
      BigInteger count = size(listed);
      for (Range without : merged(out)) {
        for (Range range : listed) {
          count = count.subtract(common(range, without));
        }
      }
      return OptionalLong.of(count.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue());
    } catch (IllegalArgumentException noAddress) {
      return OptionalLong.empty();
    }
  }

  private static BigInteger size(List<Range> ranges) {
    return ranges.stream()
        .map(r -> r.last().subtract(r.first()).add(BigInteger.ONE))
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  private static BigInteger common(Range one, Range other) {
    return one.last()
        .min(other.last())
        .subtract(one.first().max(other.first()))
        .add(BigInteger.ONE)
        .max(BigInteger.ZERO);
  }

  /** In order and apart from each other. */
  private static List<Range> merged(List<String> texts) {
    List<Range> sorted =
        texts.stream()
            .map(AddressRanges::range)
            .sorted(Comparator.comparing(Range::first))
            .toList();
    List<Range> merged = new ArrayList<>();
    for (Range range : sorted) {
      if (!merged.isEmpty() && range.first().compareTo(merged.getLast().last()) <= 0) {
        Range before = merged.removeLast();
        merged.add(new Range(before.first(), before.last().max(range.last())));
      } else {
        merged.add(range);
      }
    }
    return merged;
  }

  private static Range range(String text) {
    int dash = text.indexOf('-');
    BigInteger first = address(dash < 0 ? text : text.substring(0, dash));
    BigInteger last = dash < 0 ? first : address(text.substring(dash + 1));
    if (last.compareTo(first) < 0) {
      throw new IllegalArgumentException(text);
    }
    return new Range(first, last);
  }

  /** Never asks a name server. */
  private static BigInteger address(String text) {
    return new BigInteger(1, InetAddress.ofLiteral(text.strip()).getAddress());
  }
}
