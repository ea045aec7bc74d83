package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.cli.UsageException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class TimelineSvgTest {
  private static Comparison comparison(String name, int faults, int days) throws UsageException {
    SplittableRandom random = new SplittableRandom(faults);
    Timeline timeline = new Timeline(0, 180);
    List<Outage> outages = new ArrayList<>();
    long step = 0;
    Duration wall = Duration.ofDays(days);
    for (int i = 0; i < faults; i++) {
      Duration at = wall.multipliedBy(i).dividedBy(faults).plusSeconds(random.nextInt(60));
      outages.add(Given.outage("n" + i % 50, at, at.plusSeconds(999), "GPU", "GPU Lost"));
      timeline.shortOfNodes(at, i % 7 == 0);
      timeline.update(at, false, step += 50);
      timeline.update(at.plusSeconds(1 + random.nextInt(600)), true, step);
    }
    Timeline.Account account = timeline.end(wall, true, step);
    Trace trace = Trace.of(outages, 0, List.of());
    Plan plan = Plan.of(name, new Options(), 50, 10, trace, wall);
    Map<FaultKind, Faults.Tally> tallies =
        Map.of(FaultKind.GPU_LOST, new Faults.Tally(faults, 0, 0));
    List<Result> results = new ArrayList<>();
    for (World world : World.values()) {
      results.add(new Result(plan, world, account, tallies, List.of(), List.of()));
    }
    return new Comparison(plan, results, List.of());
  }

  private static Document parse(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 50, 20_000})
  void shouldBeWellFormedAndBoundedHoweverLongTheTrace(int faults) throws Exception {
    String svg = TimelineSvg.of(comparison("t.csv", faults, Math.max(1, faults / 10)));
    Element root = parse(svg).getDocumentElement();
    assertThat(root.getTagName()).isEqualTo("svg");
    assertThat(root.getAttribute("viewBox")).matches("0 0 1200 \\d+");
    assertThat(svg.length()).isLessThan(100_000);
    assertThat(root.getElementsByTagName("script").getLength()).isZero();
  }

  @Test
  void shouldSayInWordsWhatItShows() throws Exception {
    Element root = parse(TimelineSvg.of(comparison("t.csv", 50, 30))).getDocumentElement();
    assertThat(root.getAttribute("role")).isEqualTo("img");
    assertThat(root.getAttribute("aria-labelledby")).isEqualTo("title desc");
    assertThat(text(root, "title")).isEqualTo("t.csv: 30 days, a job on 50 of 60 nodes");
    assertThat(text(root, "desc")).startsWith("ETTR ").contains("with Rekindle");
    NodeList texts = root.getElementsByTagName("text");
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < texts.getLength(); i++) {
      all.append(texts.item(i).getTextContent()).append('\n');
    }
    assertThat(all)
        .contains("with Rekindle", "a person", "unattended", "gpu-lost", "nodes out", "10 spare")
        .contains("trains", "down", "a fault begins")
        .contains("most at one time: 1");
  }

  private static String text(Element root, String tag) {
    return root.getElementsByTagName(tag).item(0).getTextContent();
  }

  @Test
  void shouldTakeANameForNothingButText() throws Exception {
    String name = "</title><script>alert(1)</script>&\"'\u0000\u001b\uD800.csv";
    Element root = parse(TimelineSvg.of(comparison(name, 3, 3))).getDocumentElement();
    assertThat(root.getElementsByTagName("script").getLength()).isZero();
    assertThat(text(root, "title")).startsWith("</title><script>alert(1)</script>&\"'???.csv");
  }

  @Test
  void shouldWriteNumbersShort() {
    assertThat(TimelineSvg.number(12)).isEqualTo("12");
    assertThat(TimelineSvg.number(100)).isEqualTo("100");
    assertThat(TimelineSvg.number(0.5)).isEqualTo("0.5");
    assertThat(TimelineSvg.number(348.979)).isEqualTo("348.98");
    assertThat(TimelineSvg.number(0)).isEqualTo("0");
  }
}
