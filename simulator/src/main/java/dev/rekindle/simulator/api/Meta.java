package dev.rekindle.simulator.api;

import io.soabase.recordbuilder.core.RecordBuilder;
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
 * @param written when it was last written
 * @param deletionDeadline {@code deletionTimestamp}, absent when it is not being deleted
 * @param deletionGrace grace period of the deletion in seconds, absent when it is not being deleted
 * @param finalizers finalizers that must be removed before it is gone
 * @param owner UID of the object with which it goes, empty when it has none
 */
@RecordBuilder
public record Meta(
    String namespace,
    String name,
    String uid,
    long version,
    Instant created,
    Instant written,
    @Nullable Instant deletionDeadline,
    @Nullable Long deletionGrace,
    Set<String> finalizers,
    String owner)
    implements MetaBuilder.With {

  /** Of an object that is yet to be created; the API server fills in the rest. */
  public static Meta draft(String namespace, String name, String owner) {
    return new Meta(
        namespace, name, "", 0, Instant.EPOCH, Instant.EPOCH, null, null, Set.of(), owner);
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
    return with(
        b -> b.uid(newUid).version(0).created(now).deletionDeadline(null).deletionGrace(null));
  }

  Meta at(long newVersion, Instant now) {
    return with(b -> b.version(newVersion).written(now));
  }

  Meta deletedBy(Instant deadline, long grace) {
    return with(b -> b.deletionDeadline(deadline).deletionGrace(grace));
  }

  /** The same with other finalizers. */
  public Meta with(Set<String> newFinalizers) {
    return withFinalizers(Set.copyOf(newFinalizers));
  }
}
