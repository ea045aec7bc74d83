package dev.rekindle.simulator.api;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every object has.
 *
 * @param namespace its namespace, empty for a kind that has none
 * @param name its name
 * @param uid its UID
 * @param version resource version
 * @param created creation time
 * @param deletionDeadline {@code deletionTimestamp}, absent when it is not being deleted
 * @param deletionGrace grace period of the deletion in seconds, absent when it is not being deleted
 * @param finalizers who must let go before it is gone
 * @param owner UID of the object with which it goes, empty when it has none
 */
public record Meta(
    String namespace,
    String name,
    String uid,
    long version,
    Instant created,
    @Nullable Instant deletionDeadline,
    @Nullable Long deletionGrace,
    Set<String> finalizers,
    String owner) {

  /** Of an object that is yet to be created; the API server fills in the rest. */
  public static Meta draft(String namespace, String name, String owner) {
    return new Meta(namespace, name, "", 0, Instant.EPOCH, null, null, Set.of(), owner);
  }

  /** Key within its kind. */
  public String key() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }

  /** Whether a deletion is under way. */
  public boolean terminating() {
    return deletionDeadline != null;
  }

  Meta born(String newUid, Instant now) {
    return new Meta(namespace, name, newUid, 0, now, null, null, finalizers, owner);
  }

  Meta at(long newVersion) {
    return new Meta(
        namespace,
        name,
        uid,
        newVersion,
        created,
        deletionDeadline,
        deletionGrace,
        finalizers,
        owner);
  }

  Meta deletedBy(Instant deadline, long grace) {
    return new Meta(namespace, name, uid, version, created, deadline, grace, finalizers, owner);
  }

  /** The same with other finalizers. */
  public Meta with(Set<String> newFinalizers) {
    return new Meta(
        namespace,
        name,
        uid,
        version,
        created,
        deletionDeadline,
        deletionGrace,
        Set.copyOf(newFinalizers),
        owner);
  }
}
