package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.util.Map;

/**
 * A ConfigMap.
 *
 * @param meta metadata
 * @param data its data
 */
public record ConfigMapObject(Meta meta, Map<String, String> data)
    implements ApiObject<ConfigMapObject> {
  public ConfigMapObject {
    data = Map.copyOf(data);
  }

  @Override
  public ConfigMapObject with(Meta newMeta) {
    return new ConfigMapObject(newMeta, data);
  }
}
