package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.FaultView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Deleted NodeFaults that name affected programs. A person who repairs a node deletes its
 * NodeFaults, but the fact that a program failed there still excuses devices of other nodes. Each
 * process keeps the newest ones in memory; no decision rests on them alone.
 */
final class DeletedFaultCache {
  private static final int MOST = 512;

  private final Map<String, FaultView> faults =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, FaultView> eldest) {
          return size() > MOST;
        }
      };

  synchronized void add(FaultView fault) {
    if (fault.incidents().stream()
        .anyMatch(i -> !i.jobUid().isEmpty() || !i.owner().isEmpty() || !i.process().isEmpty())) {
      faults.remove(fault.name());
      faults.put(fault.name(), fault);
    }
  }

  synchronized List<FaultView> ofCode(String code) {
    return faults.values().stream().filter(fault -> fault.code().equals(code)).toList();
  }
}
