package dev.rekindle.detect.judge;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.Incidents;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.rules.RuleResult;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The faults of the node whose log is read, by what is faulty and code; bounded. */
final class LoggedFaults {
  private static final int MOST = 4096;

  private record Key(String component, String code) {}

  private final Map<Key, LoggedFault> faults =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, LoggedFault> eldest) {
          return size() > MOST;
        }
      };

  /** All of them. */
  Collection<LoggedFault> all() {
    return List.copyOf(faults.values());
  }

  /** One more finding; the fault it belongs to. */
  LoggedFault add(Finding finding, RuleResult judgement, String boot, Instant now) {
    var component =
        finding.component().name() + (finding.device().isEmpty() ? "" : " " + finding.device());
    var key = new Key(component, finding.faultCode());
    var before = faults.get(key);
    var observation =
        new FaultObservation(
            new NodeFaultSpec(
                "",
                finding.component(),
                finding.device(),
                finding.faultCode(),
                "kmsg",
                judgement.guidance(),
                judgement.action(),
                boot,
                now,
                ""),
            FaultObservation.NO_SEQUENCE,
            now,
            finding.unit(),
            AffectedPod.UNKNOWN.as(finding.process()),
            finding.mark());
    // The strongest word that was said of it stands until it is cleared, as in its object.
    var fence = judgement.guidance();
    if (before != null
        && before.active()
        && before.bootId().equals(boot)
        && before.fence().compareTo(fence) < 0) {
      fence = before.fence();
    }
    var fault =
        new LoggedFault(
            component,
            finding.faultCode(),
            fence,
            true,
            judgement.action(),
            boot,
            Incidents.merge(
                before == null ? List.of() : before.logged(), Incidents.of(observation)));
    faults.put(key, fault);
    return fault;
  }

  /** Whatever is known of this device is gone. */
  void cleared(Finding finding) {
    var component = finding.component().name() + " " + finding.device();
    faults.replaceAll(
        (key, fault) ->
            key.component().equals(component)
                ? new LoggedFault(
                    fault.component(),
                    fault.code(),
                    fault.fence(),
                    false,
                    fault.action(),
                    fault.bootId(),
                    fault.logged())
                : fault);
  }
}
