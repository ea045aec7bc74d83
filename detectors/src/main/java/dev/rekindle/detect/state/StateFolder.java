package dev.rekindle.detect.state;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Path;

/**
 * The state directory of an agent.
 *
 * @param path the directory; must exist
 * @param json reads and writes what is kept in it
 */
public record StateFolder(Path path, KubernetesSerialization json) {
  /**
   * One file in it.
   *
   * @param name name of the file
   * @param version of the form; a file of another one cannot be read
   * @param type what is kept: a record that becomes JSON
   * @param maxBytes a file above this size is not read
   */
  public <T> StateFile<T> file(String name, String version, Class<T> type, int maxBytes) {
    return new StateFile<>(path.resolve(name), version, type, maxBytes, false, json);
  }
}
