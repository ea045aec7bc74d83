package dev.rekindle.console;

import dev.rekindle.api.Recovery;
import dev.rekindle.page.RecoveryRow;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Every recovery, packed: its row of the list as it is, the object itself compressed, for a page is
 * made of few and thousands are kept.
 */
final class RecoveryStore implements ItemStore<Recovery> {
  /** Its row, and the compressed object. */
  private static final class Packed {
    private final RecoveryRow row;
    private final byte[] json;

    Packed(RecoveryRow row, byte[] json) {
      this.row = row;
      this.json = json;
    }
  }

  private final ConcurrentHashMap<String, Packed> packed = new ConcurrentHashMap<>();
  private final KubernetesSerialization serialization;
  private final AtomicLong changes = new AtomicLong();

  RecoveryStore(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /** Rows of all of them, in no order. */
  Stream<RecoveryRow> rows() {
    return packed.values().stream().map(one -> one.row);
  }

  /** How often one was stored or removed; counted after it shows in the rows. */
  long changes() {
    return changes.get();
  }

  /** The object of that name. */
  Optional<Recovery> find(String namespace, String name) {
    return Optional.ofNullable(get(key(namespace, name)));
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
    Packed former = packed.put(key, new Packed(RecoveryRow.of(recovery), pack(recovery)));
    changes.incrementAndGet();
    return unpack(former);
  }

  @Override
  public @Nullable Recovery remove(String key) {
    Packed former = packed.remove(key);
    changes.incrementAndGet();
    return unpack(former);
  }

  @Override
  public Stream<String> keySet() {
    return packed.keySet().stream();
  }

  @Override
  public Stream<Recovery> values() {
    return packed.values().stream().map(this::unpackAll);
  }

  @Override
  public int size() {
    return packed.size();
  }

  @Override
  public @Nullable Recovery get(String key) {
    return unpack(packed.get(key));
  }

  private byte[] pack(Recovery recovery) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(serialization.asJson(recovery).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private @Nullable Recovery unpack(@Nullable Packed one) {
    return one == null ? null : unpackAll(one);
  }

  private Recovery unpackAll(Packed one) {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(one.json))) {
      return serialization.unmarshal(in, Recovery.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
