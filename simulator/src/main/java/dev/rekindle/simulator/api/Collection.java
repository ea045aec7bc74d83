package dev.rekindle.simulator.api;

import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one kind, as the API server has them. Everything here happens at once; that calls
 * take time, fail or are seen late is the business of who makes them.
 */
public final class Collection<T extends ApiObject<T>> {
  /** Changes that can be sent again to a watcher that fell behind, as in etcd's history. */
  private static final int HISTORY = 128;

  private final Kind<T> kind;
  private final Loop loop;
  private final LongSupplier nextVersion;
  private final Supplier<String> nextUid;
  private final Map<String, T> objects = new LinkedHashMap<>();

  /** How many objects each owner has: most have none, and every deletion asks. */
  private final Map<String, Integer> owners = new HashMap<>();

  private final List<Consumer<Change<T>>> watchers = new ArrayList<>();
  private final Deque<Change<T>> history = new ArrayDeque<>();

  Collection(Kind<T> kind, Loop loop, LongSupplier nextVersion, Supplier<String> nextUid) {
    this.kind = kind;
    this.loop = loop;
    this.nextVersion = nextVersion;
    this.nextUid = nextUid;
  }

  /** The object, if it exists. */
  public Optional<T> find(String key) {
    return Optional.ofNullable(objects.get(key));
  }

  /**
   * The object.
   *
   * @throws ApiError not found
   */
  public T get(String key) {
    T object = objects.get(key);
    if (object == null) {
      throw new ApiError(ApiError.NOT_FOUND, kind.name() + " " + key + " not found");
    }
    return object;
  }

  /** All objects, in the order of their creation. */
  public List<T> list() {
    return List.copyOf(objects.values());
  }

  /**
   * Visits all objects, in the order of their creation, without a copy. Nothing may be written
   * meanwhile.
   */
  public Iterable<T> all() {
    return objects.values();
  }

  /**
   * Objects by a field selector with one term.
   *
   * @throws ApiError bad request, when the kind has no such field
   */
  public List<T> list(String field, String value) {
    if (field.equals("metadata.name")) {
      return objects.values().stream().filter(o -> o.meta().name().equals(value)).toList();
    }
    Function<T, String> read = kind.fields().get(field);
    if (read == null) {
      throw new ApiError(
          ApiError.BAD_REQUEST, "field label not supported for " + kind.name() + ": " + field);
    }
    return objects.values().stream().filter(o -> read.apply(o).equals(value)).toList();
  }

  /**
   * Creates the object.
   *
   * @throws ApiError conflict, when there is one of the name
   */
  public T create(T draft) {
    String key = draft.meta().key();
    if (objects.containsKey(key)) {
      throw new ApiError(ApiError.CONFLICT, kind.name() + " " + key + " already exists");
    }
    long version = nextVersion.getAsLong();
    T created =
        draft.with(draft.meta().born(nextUid.get(), loop.instant()).at(version, loop.instant()));
    objects.put(key, created);
    publish(new Change<>(key, version, loop.instant(), null, created));
    return created;
  }

  /**
   * Changes the object if it still is of that version. A change that changes nothing is no write.
   *
   * @throws ApiError not found; conflict, when it has changed since
   */
  public T update(String key, long expected, UnaryOperator<T> change) {
    T before = get(key);
    if (before.meta().version() != expected) {
      throw new ApiError(
          ApiError.CONFLICT,
          "%s %s: the object has been modified; %d is not %d"
              .formatted(kind.name(), key, expected, before.meta().version()));
    }
    return write(key, before, change.apply(before));
  }

  /**
   * Changes the object, whatever its version.
   *
   * @throws ApiError not found
   */
  public T patch(String key, UnaryOperator<T> change) {
    T before = get(key);
    return write(key, before, change.apply(before));
  }

  private T write(String key, T before, T after) {
    if (after.equals(before)) {
      return before;
    }
    long version = nextVersion.getAsLong();
    if (letGo(before.meta(), after.meta())) {
      objects.remove(key);
      publish(new Change<>(key, version, loop.instant(), before, null));
      return after;
    }
    T stored = after.with(after.meta().at(version, loop.instant()));
    objects.put(key, stored);
    publish(new Change<>(key, version, loop.instant(), before, stored));
    return stored;
  }

  /** Whether the last finalizer of a deleted object has just gone and nothing else holds it. */
  private static boolean letGo(Meta before, Meta after) {
    Long grace = after.deletionGrace();
    return !before.finalizers().isEmpty()
        && after.finalizers().isEmpty()
        && grace != null
        && grace == 0;
  }

  /**
   * Deletes the object: gone at once, or marked with a deadline while a finalizer or a grace period
   * holds it. Of two grace periods the shorter stays in the object.
   *
   * @param uid precondition, empty for none
   * @param grace grace period requested; absent for the object's own
   * @throws ApiError not found; conflict, when it is another one of the name
   */
  public void delete(String key, String uid, @Nullable Duration grace) {
    T before = get(key);
    if (!uid.isEmpty() && !before.meta().uid().equals(uid)) {
      throw new ApiError(
          ApiError.CONFLICT, kind.name() + " " + key + ": the UID in the precondition differs");
    }
    long own = kind.graceful().apply(before);
    long seconds = own == 0 ? 0 : grace == null ? own : grace.toSeconds();
    Meta meta = before.meta();
    if (seconds == 0 && meta.finalizers().isEmpty()) {
      long version = nextVersion.getAsLong();
      objects.remove(key);
      publish(new Change<>(key, version, loop.instant(), before, null));
      return;
    }
    Long current = meta.deletionGrace();
    if (current == null || seconds < current) {
      write(key, before, before.with(meta.deletedBy(deadline(meta, seconds), seconds)));
    }
  }

  /** Of a second deletion it is counted from the first one on. */
  private Instant deadline(Meta meta, long seconds) {
    Instant former = meta.deletionDeadline();
    Long grace = meta.deletionGrace();
    return former == null || grace == null || seconds == 0
        ? loop.instant().plusSeconds(seconds)
        : former.minusSeconds(grace).plusSeconds(seconds);
  }

  /** Removes the object once its holder has confirmed its end. */
  public void remove(String key, String uid) {
    T before = objects.get(key);
    if (before != null && before.meta().uid().equals(uid)) {
      long version = nextVersion.getAsLong();
      objects.remove(key);
      publish(new Change<>(key, version, loop.instant(), before, null));
    }
  }

  /** Sends every change from now on, as it happens. */
  public void watch(Consumer<Change<T>> watcher) {
    watchers.add(watcher);
  }

  /** Stops sending. */
  public void unwatch(Consumer<Change<T>> watcher) {
    watchers.remove(watcher);
  }

  private void publish(Change<T> change) {
    if (change.before() == null || change.after() == null) {
      owners.merge(change.object().meta().owner(), change.after() == null ? -1 : 1, Integer::sum);
      owners.remove(change.object().meta().owner(), 0);
    }
    history.addLast(change);
    if (history.size() > HISTORY) {
      history.removeFirst();
    }
    for (int i = 0; i < watchers.size(); i++) {
      watchers.get(i).accept(change);
    }
  }

  /** The changes since then, oldest first. */
  public List<Change<T>> since(Instant then) {
    return history.stream().filter(change -> change.at().isAfter(then)).toList();
  }

  /** The objects as they were before those changes, which must be the last ones. */
  public Map<String, T> before(List<Change<T>> changes) {
    Map<String, T> then = new LinkedHashMap<>(objects);
    for (int i = changes.size() - 1; i >= 0; i--) {
      Change<T> change = changes.get(i);
      T former = change.before();
      if (former == null) {
        then.remove(change.key());
      } else {
        then.put(change.key(), former);
      }
    }
    return then;
  }

  /** Keys of the objects that go with any of these owners. */
  List<T> ownedBy(Set<String> of) {
    if (of.stream().noneMatch(owners::containsKey)) {
      return List.of();
    }
    return objects.values().stream().filter(o -> of.contains(o.meta().owner())).toList();
  }
}
