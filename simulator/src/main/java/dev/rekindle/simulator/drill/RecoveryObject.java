package dev.rekindle.simulator.drill;

import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rekindle.api.Recovery;
import dev.rekindle.controller.model.RecoveryView;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.YamlDumpSettingsBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A recovery as the API server would give it out. */
final class RecoveryObject {
  /** Keys in alphabetical order and no needless quotes, as kubectl prints it. */
  private static final KubernetesSerialization SERIALIZATION =
      new KubernetesSerialization(
          JsonMapper.builder()
              .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
              .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
              .build(),
          false,
          new YamlDumpSettingsBuilder().setMinimizeQuotes(true).build());

  /** Without quotes, a reader of YAML would take these strings for booleans and times. */
  private static final Pattern NO_STRING_TO_A_READER =
      Pattern.compile("(?m)(: )(True|False|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)$");

  private RecoveryObject() {}

  static String yaml(RecoveryView view, @Nullable Instant created) {
    String yaml = SERIALIZATION.asYaml(object(view, created));
    return NO_STRING_TO_A_READER.matcher(yaml).replaceAll("$1\"$2\"").replaceFirst("^---\n", "");
  }

  static String json(RecoveryView view, @Nullable Instant created) {
    return json(object(view, created));
  }

  static String json(Recovery recovery) {
    return SERIALIZATION.asJson(recovery);
  }

  static Recovery object(RecoveryView view, @Nullable Instant created) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(view.namespace())
            .withName(view.name())
            .withUid(view.uid())
            .withResourceVersion(view.resourceVersion())
            .withCreationTimestamp(
                created == null ? null : created.truncatedTo(ChronoUnit.SECONDS).toString())
            .build());
    recovery.setSpec(view.spec());
    recovery.setStatus(view.status());
    return recovery;
  }
}
