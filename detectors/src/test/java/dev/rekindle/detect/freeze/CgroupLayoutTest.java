package dev.rekindle.detect.freeze;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Layouts as runtimes make them; the folders are real ones, their files stand-ins. */
class CgroupLayoutTest {
  private static final String ID =
      "4f3c9d0e5b6a79881726354433221100ffeeddccbbaa99887766554433221100";
  private static final String SYSTEMD =
      "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1b2c_3d.slice/";
  private static final String CGROUPFS = "kubepods/burstable/pod1b2c-3d/";

  @TempDir Path root;

  private Path group(String path, String... files) throws IOException {
    var folder = Files.createDirectories(root.resolve(path));
    Files.writeString(folder.resolve("cgroup.procs"), "4711\n");
    for (var file : files) {
      Files.writeString(folder.resolve(file), "");
    }
    return folder;
  }

  private void v2(String top) throws IOException {
    Files.createDirectories(root.resolve(top));
    Files.writeString(root.resolve(top).resolve("cgroup.controllers"), "cpu memory");
  }

  private Iterable<Group> find() throws IOException {
    return new CgroupFinder(root).find(new ContainerName(ID));
  }

  @ParameterizedTest
  @CsvSource({
    "containerd with systemd," + SYSTEMD + ",cri-containerd-" + ID + ".scope",
    "containerd with cgroupfs," + CGROUPFS + "," + ID,
    "containerd without cgroups per QoS,k8s.io/," + ID,
    "CRI-O with systemd," + SYSTEMD + ",crio-" + ID + ".scope",
    "CRI-O with cgroupfs," + CGROUPFS + ",crio-" + ID,
    "Docker with systemd," + SYSTEMD + ",docker-" + ID + ".scope",
    "kubelet in a container,system.slice/docker-1234567890ab.scope/kubelet/"
        + SYSTEMD
        + ",cri-containerd-"
        + ID
        + ".scope"
  })
  void shouldFindTheContainerAndNothingBesideIt(String layout, String parent, String name)
      throws IOException {
    v2("");
    var v2 = group(parent + name, GroupV2.FREEZE);
    group(parent + name + "/nested/deeper", GroupV2.FREEZE);
    group(parent + "crio-conmon-" + ID + ".scope", GroupV2.FREEZE);
    group(parent + "cri-containerd-" + ID.replace('4', '5') + ".scope", GroupV2.FREEZE);
    group(parent + ID + "-sidecar", GroupV2.FREEZE);
    group("system.slice/" + ID.substring(1) + ".scope", GroupV2.FREEZE);
    assertThat(find()).as(layout).containsExactly(new GroupV2(v2));
  }

  @ParameterizedTest
  @ValueSource(strings = {SYSTEMD + "crio-" + ID + ".scope", "k8s.io/" + ID})
  void shouldFindTheFreezerOfVersionOne(String path) throws IOException {
    var v1 = group("freezer/" + path, GroupV1.STATE);
    group("memory/" + path);
    group("systemd/" + path);
    assertThat(find()).containsExactly(new GroupV1(v1));
  }

  @Test
  void shouldFindBothWhereBothVersionsAreMounted() throws IOException {
    v2("unified");
    var v1 = group("freezer/k8s.io/" + ID, GroupV1.STATE);
    var v2 = group("unified/k8s.io/" + ID, GroupV2.FREEZE);
    assertThat(find()).containsExactlyInAnyOrder(new GroupV1(v1), new GroupV2(v2));
  }

  @Test
  void shouldFollowNoLinks() throws IOException {
    v2("");
    group("a", GroupV2.FREEZE);
    Files.createSymbolicLink(root.resolve("a/loop"), root);
    Files.createSymbolicLink(root.resolve(ID), root.resolve("a"));
    assertThat(find()).isEmpty();
  }

  @Test
  void shouldCountProcessesOfNestedGroups() throws IOException {
    v2("");
    group("k8s.io/" + ID, GroupV2.FREEZE);
    Files.writeString(group("k8s.io/" + ID + "/a/b").resolve("cgroup.procs"), "12\n13\n");
    assertThat(new GroupV2(root.resolve("k8s.io/" + ID)).processes())
        .containsExactlyInAnyOrder(4711L, 12L, 13L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "/", "short", "a/b/c/d/e/f/g/h", "4f3c9d0e5b6a.scope"})
  void shouldRefuseWhatIsNoContainerId(String id) {
    assertThatThrownBy(() -> new ContainerName(id)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "/kubepods.slice/x.slice/cri-containerd-" + ID + ".scope,true",
    "/../../kubepods/pod1/" + ID + "/init.scope,true",
    "/kubepods/pod1/crio-conmon-" + ID + ".scope,false",
    "/kubepods/pod1/" + ID + "0,false",
    "/,false"
  })
  void shouldKnowTheProcessesOfTheContainerByTheirPath(String path, boolean inside) {
    assertThat(new ContainerName(ID).isIn(path)).isEqualTo(inside);
  }
}
