package dev.rekindle.controller.kubernetes;

import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.PageSize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Lists a page at a time and keeps of each object what is made of it: pods of one job are a
 * tenant's, and all of them at once may be more than the memory of a controller. Pages are smaller
 * where objects are large ({@link BoundedLists}).
 */
final class PagedList {
  private PagedList() {}

  /** All of them, each as it is read. */
  static <T extends HasMetadata, L extends KubernetesResourceList<T>, V> List<V> of(
      ApiCalls api, Listable<L> source, Function<T, Stream<V>> read) {
    List<V> all = new ArrayList<>();
    PageSize size = PageSize.usual();
    String from = "";
    while (true) {
      String next = from;
      Optional<L> page = api.call(() -> page(source, size, next));
      if (page.isPresent()) {
        page.get().getItems().stream().flatMap(read).forEach(all::add);
        from = Objects.requireNonNullElse(page.get().getMetadata().getContinue(), "");
        if (from.isEmpty()) {
          return all;
        }
      }
    }
  }

  /** Empty where it was too large; the next one is smaller. */
  private static <T extends HasMetadata, L extends KubernetesResourceList<T>> Optional<L> page(
      Listable<L> source, PageSize size, String from) {
    try {
      return Optional.of(
          source.list(
              new ListOptionsBuilder()
                  .withLimit(size.now())
                  .withContinue(from.isEmpty() ? null : from)
                  .build()));
    } catch (RuntimeException failed) {
      if (size.shrink(failed)) {
        return Optional.empty();
      }
      throw failed;
    }
  }
}
