package dev.rekindle.console;

import dev.rekindle.api.Recovery;
import dev.rekindle.page.RecoveryRow;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Every recovery, packed: its row of the list as it is, the object itself compressed, for a page is
 * made of few and thousands are kept.
 *
 * <p>Its informer gets no more of them than names and versions: when it has listed, it takes all at
 * once, to see which of them are gone and to announce those that are new.
 */
final class RecoveryStore implements ItemStore<Recovery> {
  /**
   * What is kept of one.
   *
   * @param version of the object
   */
  private record Kept(RecoveryRow row, String version, Packer.Packed json) {}

  private final ConcurrentHashMap<String, Kept> kept = new ConcurrentHashMap<>();
  private final KubernetesSerialization serialization;
  private final Packer packer;
  private final AtomicLong changes = new AtomicLong();

  RecoveryStore(KubernetesSerialization serialization, Packer packer) {
    this.serialization = serialization;
    this.packer = packer;
  }

  /** Rows of all of them, in no order. */
  Stream<RecoveryRow> rows() {
    return kept.values().stream().map(Kept::row);
  }

  /** How often one was stored or removed; counted after it shows in the rows. */
  long changes() {
    return changes.get();
  }

  /** The object of that name. */
  Optional<Recovery> find(String namespace, String name) {
    return Optional.ofNullable(kept.get(key(namespace, name)))
        .map(one -> serialization.unmarshal(text(one), Recovery.class));
  }

  private static String text(Kept one) {
    return new String(one.json().unpack(), StandardCharsets.UTF_8);
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }

  @Override
  public String getKey(Recovery recovery) {
    return key(recovery.getMetadata().getNamespace(), recovery.getMetadata().getName());
  }

  @Override
  public @Nullable Recovery put(String key, Recovery recovery) {
    // Who wrote which field is half of an object, and no page shows it.
    recovery.getMetadata().setManagedFields(null);
    RecoveryRow row = RecoveryRow.of(recovery);
    byte[] json = serialization.asJson(recovery).getBytes(StandardCharsets.UTF_8);
    String version = Objects.requireNonNullElse(recovery.getMetadata().getResourceVersion(), "");
    // Those that are over are most of them, and have all that one can have.
    Kept former = kept.put(key, new Kept(row, version, packer.pack(json, !row.open())));
    changes.incrementAndGet();
    return named(former);
  }

  @Override
  public @Nullable Recovery remove(String key) {
    Kept former = kept.remove(key);
    changes.incrementAndGet();
    return named(former);
  }

  @Override
  public Stream<String> keySet() {
    return kept.keySet().stream();
  }

  @Override
  public Stream<Recovery> values() {
    return kept.values().stream().map(RecoveryStore::name);
  }

  @Override
  public int size() {
    return kept.size();
  }

  @Override
  public @Nullable Recovery get(String key) {
    return named(kept.get(key));
  }

  private static @Nullable Recovery named(@Nullable Kept one) {
    return one == null ? null : name(one);
  }

  /** Its name and its version alone. */
  private static Recovery name(Kept one) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(one.row().namespace())
            .withName(one.row().name())
            .withResourceVersion(one.version())
            .build());
    return recovery;
  }
}
