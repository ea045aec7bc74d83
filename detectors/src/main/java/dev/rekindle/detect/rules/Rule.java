package dev.rekindle.detect.rules;

import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import java.util.List;
import java.util.Optional;

/**
 * One rule.
 *
 * @param name its name, unique
 * @param source who reports
 * @param codes the codes it is about; empty for all of that source
 * @param marks the marks it is about; empty for all
 * @param verdict what follows; empty where the catalogue says
 * @param after when it is an echo
 * @param repeats whether it may fence when it comes again; empty where its verdict says: what is
 *     watched may, what ends a process if the catalogue says so
 * @param clears whether it clears the faults of its device
 * @param action what repairs it; empty where the catalogue says
 * @param because what it means, a clause; empty where the catalogue says
 */
public record Rule(
    String name,
    Source source,
    List<Codes> codes,
    List<String> marks,
    Optional<Verdict> verdict,
    Optional<Inhibition> after,
    Optional<Boolean> repeats,
    boolean clears,
    String action,
    String because) {

  /**
   * A code, or all numbers from one to another.
   *
   * @param first the code, or the first number
   * @param last the same, or the last number
   */
  public record Codes(String first, String last) {
    boolean contains(String code) {
      if (first.equals(last)) {
        return first.equals(code);
      }
      return Character.isDigit(code.charAt(0))
          && code.length() <= 9
          && Integer.parseInt(first) <= Integer.parseInt(code)
          && Integer.parseInt(code) <= Integer.parseInt(last);
    }

    @Override
    public String toString() {
      return first.equals(last) ? first : first + "-" + last;
    }
  }

  /** Whether it is about this code of this source, under whatever mark. */
  public boolean isAbout(Source whose, String code) {
    return source == whose
        && (codes.isEmpty() || codes.stream().anyMatch(some -> some.contains(code)));
  }

  boolean fits(Finding finding) {
    return isAbout(finding.source(), finding.code())
        && (marks.isEmpty() || marks.contains(finding.mark()));
  }
}
