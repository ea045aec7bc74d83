package dev.rekindle.simulator.replay;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;

/** What {@code src/main/jte} describes, with its figures. Nothing is escaped. */
final class Templates {
  private static final TemplateEngine ENGINE =
      TemplateEngine.createPrecompiled(
          null, ContentType.Plain, null, Templates.class.getPackageName());

  private Templates() {}

  static String render(String template, Object figures) {
    StringOutput out = new StringOutput();
    ENGINE.render(template, figures, out);
    return out.toString();
  }
}
