package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * PodGroups, and which of them the scheduler plugin Coscheduling has put aside. The operator makes
 * one for each job that runs, and deletes it when the job is suspended. A group that found no place
 * is tried again for a new pod of it, when the PodGroup changes, or after five minutes; not when a
 * node comes back or becomes free.
 */
public final class PodGroups {
  private static final Duration FLUSHED = Duration.ofMinutes(5);

  private final World world;
  private final Collection<PodGroupObject> groups;

  /** Keys of groups that are put aside. */
  private final Set<String> aside = new HashSet<>();

  PodGroups(World world, Collection<PodGroupObject> groups) {
    this.world = world;
    this.groups = groups;
  }

  /** All of them. */
  public Collection<PodGroupObject> all() {
    return groups;
  }

  /** That of the job. */
  public Optional<PodGroupObject> of(JobObject job) {
    return groups
        .find(job.meta().key())
        .filter(group -> group.meta().owner().equals(job.meta().uid()));
  }

  /** As the operator does before it makes pods. */
  void create(JobObject job) {
    if (job.setup().podGroup() && groups.find(job.meta().key()).isEmpty()) {
      var _ =
          groups.create(
              new PodGroupObject(
                  Meta.draft(job.key().namespace(), job.key().name(), job.meta().uid()),
                  job.setup().ranks(),
                  ""));
    }
  }

  /** As the operator does for a suspended job. */
  void delete(JobObject job) {
    of(job).ifPresent(group -> groups.delete(group.meta().key(), group.meta().uid(), null));
  }

  void changed(Change<PodGroupObject> change) {
    aside.remove(change.key());
  }

  /** A pod is new. */
  void created(PodObject pod) {
    aside.remove(pod.job().toString());
  }

  /** Whether the group is not to be tried now. */
  public boolean isAside(PodGroupObject group) {
    return aside.contains(group.meta().key());
  }

  /** Puts the group aside, for five minutes at most. */
  void putAside(PodGroupObject group, Runnable flushed) {
    String key = group.meta().key();
    if (aside.add(key)) {
      world.emit(SimEvent.Kind.POD, key, "its PodGroup finds no place, and is put aside");
      world
          .loop()
          .after(
              FLUSHED,
              () -> {
                if (aside.remove(key)) {
                  flushed.run();
                }
              });
    }
  }
}
