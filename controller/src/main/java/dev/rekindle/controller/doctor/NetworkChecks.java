package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.controller.network.NetworkWarnings;
import dev.rekindle.controller.network.Nic;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.RequestedNetworks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** NICs that Spiderpool gives the pods, and what will not work about them; no line without it. */
final class NetworkChecks {
  private static final String NAME = "networks";

  private NetworkChecks() {}

  static List<Check> of(ExaminedJob e) {
    Installation spiderpool = e.spiderpool();
    JobView job = e.job().job();
    List<String> faulty =
        e.job().faults().stream().filter(FaultView::fences).map(FaultView::node).toList();
    List<Check> checks = new ArrayList<>();
    for (Replica replica : job.replicas()) {
      RequestedNetworks asked =
          RequestedNetworks.of(
              job.key().namespace(), replica.needs().networks(), spiderpool.networks());
      if (!asked.nics().isEmpty()) {
        checks.add(ok(NAME, "%s: %s".formatted(replica.type(), described(asked, spiderpool))));
      }
      NetworkWarnings.of(asked, spiderpool, faulty).stream()
          .map(p -> missing(NAME, p.detail(), p.kind().advice()))
          .forEach(checks::add);
    }
    return checks.stream().distinct().toList();
  }

  private static String described(RequestedNetworks asked, Installation spiderpool) {
    return asked.nics().stream()
        .limit(16)
        .map(nic -> nic.title() + addresses(nic, spiderpool))
        .collect(Collectors.joining(", "));
  }

  private static String addresses(Nic nic, Installation spiderpool) {
    List<String> pools = nic.families().stream().flatMap(f -> f.pools().stream()).toList();
    if (pools.isEmpty()) {
      return "";
    }
    List<PoolView> found =
        spiderpool.networks().pools().stream().filter(p -> pools.contains(p.name())).toList();
    boolean known = found.stream().allMatch(p -> p.free(List.of()).isPresent());
    long free = found.stream().mapToLong(p -> p.free(List.of()).orElse(0)).sum();
    return " %s free in %s"
        .formatted(
            known ? Long.toString(free) : "an unknown number",
            pools.size() == 1 ? "pool " + pools.getFirst() : pools.size() + " pools");
  }
}
