package dev.rekindle.simulator.drill;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.page.FaultRow;
import dev.rekindle.page.FleetPage;
import dev.rekindle.page.Incident;
import dev.rekindle.page.Links;
import dev.rekindle.page.ListPage;
import dev.rekindle.page.NodePage;
import dev.rekindle.page.PageRenderer;
import dev.rekindle.page.RecoveryRow;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.FaultObject;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a drill leaves in its cluster: the objects of which pages are made.
 *
 * @param recoveries in order
 * @param faults of all nodes
 * @param now the cluster's time at the end
 */
record FinalObjects(List<Recovery> recoveries, List<NodeFault> faults, Instant now) {
  FinalObjects {
    recoveries = List.copyOf(recoveries);
    faults = List.copyOf(faults);
  }

  static FinalObjects of(Simulation simulation, Map<String, Instant> created) {
    return new FinalObjects(
        simulation.recoveries(DrillSetup.JOB).stream()
            .map(r -> RecoveryObject.object(r, created.get(r.name())))
            .toList(),
        simulation.world().faults().list().stream().map(FinalObjects::fault).toList(),
        simulation.now());
  }

  private static NodeFault fault(FaultObject object) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(object.meta().name()).build());
    fault.setSpec(object.state().spec());
    fault.setStatus(object.state().status());
    return fault;
  }

  /** One page that stands alone, with every recovery of the drill. */
  String page(Scenario scenario) {
    return new PageRenderer(Links.NONE).recoveries("Drill: " + scenario.what(), incidents());
  }

  private List<Incident> incidents() {
    return recoveries.stream().map(r -> new Incident(r, faults, now)).toList();
  }

  private Optional<Incident> incident(String namespace, String name) {
    return incidents().stream()
        .filter(i -> i.recovery().getMetadata().getName().equals(name))
        .filter(i -> i.recovery().getMetadata().getNamespace().equals(namespace))
        .findFirst();
  }

  private List<RecoveryRow> rows() {
    return recoveries.stream().map(RecoveryRow::of).toList();
  }

  private List<FaultRow> faultRows() {
    return faults.stream().map(FaultRow::of).toList();
  }

  /**
   * What is served.
   *
   * @param type media type
   * @param text content
   */
  record Answer(String type, String text) {
    static Answer html(String text) {
      return new Answer("text/html; charset=utf-8", text);
    }
  }

  /** The value at that path; empty if there is none. */
  Optional<Answer> at(String path, PageRenderer pages) {
    String[] parts = path.split("/", -1);
    if (path.equals("/") || path.equals("/recoveries")) {
      return Optional.of(Answer.html(pages.list(ListPage.of(rows()), "")));
    }
    if (path.equals("/fleet")) {
      return Optional.of(Answer.html(pages.fleet(FleetPage.of(faultRows(), rows()))));
    }
    if (parts.length == 3 && parts[1].equals("nodes")) {
      NodePage page = new NodePage(parts[2], faultRows(), rows());
      return page.faults().isEmpty() && page.recoveries().isEmpty()
          ? Optional.empty()
          : Optional.of(Answer.html(pages.node(page)));
    }
    return parts.length == 4 && parts[1].equals("recoveries")
        ? recovery(parts[2], parts[3], pages)
        : Optional.empty();
  }

  private Optional<Answer> recovery(String namespace, String file, PageRenderer pages) {
    if (file.endsWith(".md")) {
      return incident(namespace, file.substring(0, file.length() - ".md".length()))
          .map(i -> new Answer("text/markdown; charset=utf-8", pages.markdown(i)));
    }
    if (file.endsWith(".json")) {
      return incident(namespace, file.substring(0, file.length() - ".json".length()))
          .map(i -> new Answer("application/json", RecoveryObject.json(i.recovery())));
    }
    return incident(namespace, file)
        .map(i -> Answer.html(pages.recoveries("Recovery " + file, List.of(i))));
  }
}
