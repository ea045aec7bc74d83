package dev.rekindle.simulator.world;

import dev.rekindle.controller.network.LabelRule;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.PoolView.Booking;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.RailSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A SpiderIPPool.
 *
 * @param meta metadata
 * @param setup what it is for, and how many addresses it has
 * @param bookings those that are given out
 */
public record PoolObject(Meta meta, RailSetup.Pool setup, List<Booking> bookings)
    implements ApiObject<PoolObject> {
  public PoolObject {
    bookings = List.copyOf(bookings);
  }

  static PoolObject draft(RailSetup.Pool setup) {
    return new PoolObject(Meta.draft("", setup.name(), ""), setup, List.of());
  }

  @Override
  public PoolObject with(Meta newMeta) {
    return new PoolObject(newMeta, setup, bookings);
  }

  /** The same with so many addresses. */
  public PoolObject sized(int addresses) {
    return new PoolObject(
        meta, new RailSetup.Pool(setup.name(), setup.rail(), setup.leaf(), addresses), bookings);
  }

  boolean offers(int rail, String leaf) {
    return offers(rail, leaf, Set.of());
  }

  /**
   * Whether it has an address for a pod on that rail and leaf.
   *
   * @param leaving UIDs of pods whose addresses are free by then
   */
  boolean offers(int rail, String leaf, Set<String> leaving) {
    return setup.rail() == rail && isFor(leaf) && free(leaving) > 0;
  }

  /** Whether nodes of the leaf take addresses from it. */
  public boolean isFor(String leaf) {
    return setup.leaf().isEmpty() || setup.leaf().equals(leaf);
  }

  /** Addresses that are not booked; less than none where others have taken some. */
  public int free() {
    return setup.addresses() - bookings.size();
  }

  long free(Set<String> leaving) {
    return setup.addresses() - bookings.stream().filter(b -> !leaving.contains(b.uid())).count();
  }

  /** The same with one more address booked, by a pod that is gone. */
  public PoolObject leaking(String pod, String uid) {
    List<Booking> more = new ArrayList<>(bookings);
    more.add(new Booking(pod, uid));
    return new PoolObject(meta, setup, more);
  }

  PoolObject booked(PodObject pod) {
    List<Booking> more = new ArrayList<>(bookings);
    more.add(new Booking(pod.meta().key(), pod.meta().uid()));
    return new PoolObject(meta, setup, more);
  }

  PoolObject without(Predicate<Booking> which) {
    return new PoolObject(meta, setup, bookings.stream().filter(which.negate()).toList());
  }

  /** What the controller keeps of it. */
  public PoolView view() {
    LabelRule nodes =
        setup.leaf().isEmpty()
            ? LabelRule.ANY
            : new LabelRule(Map.of(NodeObject.LEAF, setup.leaf()), List.of());
    return new PoolView(
        setup.name(),
        false,
        false,
        false,
        Set.of(),
        nodes,
        Set.of(),
        Set.of(),
        (long) setup.addresses(),
        bookings);
  }
}
