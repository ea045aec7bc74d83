package dev.rekindle.page;

import dev.rekindle.detect.judge.CodeExplainer;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.List;
import java.util.Map;

/**
 * Makes pages. Everything that is shown is escaped by the template engine for the place where it
 * stands. To be used by any number of threads.
 */
public final class PageRenderer {
  private static final String PACKAGE = "dev.rekindle.page";

  private final TemplateEngine templates =
      TemplateEngine.createPrecompiled(null, ContentType.Html, null, PACKAGE);
  private final CodeExplainer codes = new CodeExplainer();
  private final PageLayout shell;

  /** Renders pages with those links between them. */
  public PageRenderer(Links links) {
    shell = PageLayout.of(links);
  }

  /** The content security policy that goes with every page, as a header of the answer. */
  public String policy() {
    return shell.policy();
  }

  /** One page with these recoveries, one below the other. */
  public String recoveries(String title, List<Incident> incidents) {
    return recoveries(title, incidents, "");
  }

  /**
   * The same, updated with each event.
   *
   * @param events where to listen; empty for a page that stays as it is
   */
  public String recoveries(String title, List<Incident> incidents, String events) {
    List<RecoveryPage> pages = incidents.stream().map(i -> RecoveryPage.of(i, codes)).toList();
    return render(
        "recoveries.jte", Map.of("shell", shell, "title", title, "events", events, "pages", pages));
  }

  /** A list of recoveries; {@code events} as above. */
  public String list(ListPage page, String events) {
    return render("list.jte", Map.of("shell", shell, "events", events, "page", page));
  }

  /** One node. */
  public String node(NodePage page) {
    return render("node.jte", Map.of("shell", shell, "page", page));
  }

  /** All nodes. */
  public String fleet(FleetPage page) {
    return render("fleet.jte", Map.of("shell", shell, "page", page));
  }

  /** Policies and approvals; {@code events} as above. */
  public String policies(PoliciesPage page, String events) {
    return render("policies.jte", Map.of("shell", shell, "events", events, "page", page));
  }

  /** A page that says one thing, such as why there is no other. */
  public String message(String title, String text) {
    return render("message.jte", Map.of("shell", shell, "title", title, "text", text));
  }

  /** The form that requests a token, and what was wrong with the last one; empty for nothing. */
  public String login(String problem) {
    return render("login.jte", Map.of("shell", shell, "problem", problem));
  }

  /** A recovery as a report in Markdown. */
  public String markdown(Incident incident) {
    return MarkdownReport.of(RecoveryPage.of(incident, codes));
  }

  private String render(String template, Map<String, Object> values) {
    StringOutput out = new StringOutput();
    templates.render(template, values, out);
    return out.toString();
  }
}
