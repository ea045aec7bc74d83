package dev.rekindle.page;

import java.util.List;
import java.util.regex.Pattern;

/** The page of a recovery as Markdown, to begin a report with. What others wrote stays text. */
final class MarkdownReport {
  private static final Pattern SPECIAL = Pattern.compile("[\\\\`*_{}\\[\\]()#+!|~<>&-]");

  private final StringBuilder text = new StringBuilder();

  private MarkdownReport() {}

  static String of(RecoveryPage page) {
    MarkdownReport report = new MarkdownReport();
    report.write(page);
    return report.text.toString();
  }

  private void write(RecoveryPage page) {
    line("# " + escaped(page.name()) + ": " + escaped(page.phase()));
    line("");
    line(escaped(page.lead()));
    line("");
    line(
        escaped(page.jobKind())
            + " "
            + escaped(page.namespace() + "/" + page.job())
            + ", opened "
            + escaped(page.beganText()));
    if (!page.next().isEmpty()) {
      heading("Next");
      page.next().forEach(one -> line("- " + escaped(one)));
    }
    heading("Timeline");
    line("| time | what | detail |");
    line("|---|---|---|");
    page.moments()
        .forEach(
            m ->
                line(
                    "| "
                        + escaped(m.sinceText())
                        + " | "
                        + escaped(m.what())
                        + " | "
                        + escaped(m.detail())
                        + " |"));
    page.steps().ifPresent(steps -> paragraph("Steps: " + steps.text()));
    page.uncertain().forEach(this::paragraph);
    heading("Evidence");
    page.evidence()
        .forEach(
            seen ->
                line(
                    "- "
                        + (seen.where().isEmpty() ? "" : escaped(seen.where()) + ": ")
                        + escaped(seen.text())));
    page.meanings()
        .forEach(
            code ->
                paragraph(
                    code.code()
                        + ": "
                        + code.meaning()
                        + ". Impact: "
                        + code.impact()
                        + ". To do: "
                        + String.join("; or ", code.toDo())));
    facts("Who is involved", page.cause());
    facts("Plan", page.plan());
    facts("Checkpoint", page.checkpoint());
    facts("Outcome", page.outcome());
    facts("Network", page.network());
    facts("Cost", page.cost());
    facts("Approval", page.approval());
  }

  private void facts(String title, List<Fact> facts) {
    if (!facts.isEmpty()) {
      heading(title);
      facts.forEach(f -> line("- " + escaped(f.label()) + ": " + escaped(f.value())));
    }
  }

  private void heading(String title) {
    line("");
    line("## " + title);
    line("");
  }

  private void paragraph(String words) {
    line("");
    line(escaped(words));
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  private static String escaped(String words) {
    return SPECIAL.matcher(VisibleText.of(words)).replaceAll("\\\\$0");
  }
}
