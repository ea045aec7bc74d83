package dev.rekindle.controller.fencing;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Places in memory, with versions as the API server keeps them. Safe for threads. */
public final class FencesInMemory implements FenceSlotAllocator.Store {
  private final Supplier<Map<String, String>> seen;
  private final Set<String> marked = new HashSet<>();
  private final Set<String> gone = new HashSet<>();
  private final Map<String, String> uids = new HashMap<>();
  private final Map<String, String> fencedFor = new HashMap<>();
  private final Map<String, String> places = new HashMap<>();
  private int version;
  private int reads;
  private int writes;
  private Runnable beforeNextWrite = () -> {};

  /** Takes what a cache shows as marked; what it shows is so. */
  public FencesInMemory(Supplier<Map<String, String>> seen) {
    this.seen = seen;
  }

  /** Writes an entry as people or an earlier process have. */
  public synchronized void put(String node, String text) {
    places.put(node, text);
    version++;
  }

  /** Puts our mark on a node, unseen by the cache. */
  synchronized void mark(String node) {
    marked.add(node);
  }

  /** The node was fenced for programs of a namespace, unseen by the cache. */
  synchronized void fencedFor(String node, String text) {
    marked.add(node);
    fencedFor.put(node, text);
  }

  /** A Node of the name is there, with that UID. */
  synchronized void registered(String node, String uid) {
    gone.remove(node);
    uids.put(node, uid);
  }

  /** No Node of the name is there any more. */
  synchronized void deleted(String node) {
    gone.add(node);
  }

  /** Does something between the next read and the write that follows it. */
  synchronized void beforeNextWrite(Runnable action) {
    beforeNextWrite = action;
  }

  synchronized Map<String, String> stored() {
    return Map.copyOf(places);
  }

  synchronized int writes() {
    return writes;
  }

  synchronized int reads() {
    return reads;
  }

  /** Takes an entry away as people do. */
  synchronized void remove(String node) {
    places.remove(node);
    version++;
  }

  @Override
  public synchronized FenceSlotAllocator.Stored read() {
    reads++;
    return now();
  }

  private FenceSlotAllocator.Stored now() {
    return new FenceSlotAllocator.Stored(version == 0 ? "" : String.valueOf(version), places);
  }

  @Override
  public Optional<FenceSlotAllocator.Stored> write(
      FenceSlotAllocator.Stored before, Map<String, String> next) {
    Runnable first;
    synchronized (this) {
      first = beforeNextWrite;
      beforeNextWrite = () -> {};
    }
    first.run();
    synchronized (this) {
      if (!before.version().equals(now().version())) {
        return Optional.empty();
      }
      places.clear();
      places.putAll(next);
      version++;
      writes++;
      return Optional.of(now());
    }
  }

  @Override
  public synchronized Optional<FenceSlotAllocator.Found> find(String node) {
    boolean carries = marked.contains(node) || seen.get().containsKey(node);
    return gone.contains(node)
        ? Optional.empty()
        : Optional.of(
            new FenceSlotAllocator.Found(
                uids.getOrDefault(node, ""), carries, fencedFor.getOrDefault(node, "")));
  }

  @Override
  public Map<String, String> seenMarked() {
    return seen.get();
  }
}
