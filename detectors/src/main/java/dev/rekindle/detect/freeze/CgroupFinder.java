package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Finds the cgroups of a container that can freeze it, in version 2, version 1 or both. */
final class CgroupFinder {
  /** The deepest seen is 6: kubelet in a container, systemd driver, a container's own child. */
  private static final int DEPTH = 12;

  /** Folders read; a node has some hundred. */
  private static final int FOLDERS = 50_000;

  private final Path root;

  CgroupFinder(Path root) {
    this.root = root;
  }

  /** A folder and how far below the root it is. */
  private record Folder(Path path, int depth) {}

  /**
   * The container's groups with a freezer, version 2 first.
   *
   * @throws IOException when the cgroup file system cannot be read, or is too big to be one
   */
  List<Group> find(ContainerName name) throws IOException {
    List<Group> found = new ArrayList<>();
    for (var folder : folders("", name)) {
      if (Files.exists(folder.resolve(GroupV2.FREEZE))) {
        found.add(new GroupV2(folder));
      }
    }
    for (var folder : folders("freezer", name)) {
      if (Files.exists(folder.resolve(GroupV1.STATE))) {
        found.add(new GroupV1(folder));
      }
    }
    return found;
  }

  /**
   * The container's folders of one controller of version 1, or of version 2.
   *
   * @param controller empty for version 2
   * @throws IOException when the cgroup file system cannot be read, or is too big to be one
   */
  List<Path> folders(String controller, ContainerName name) throws IOException {
    List<Path> found = new ArrayList<>();
    if (controller.isEmpty()) {
      for (var top : List.of(root, root.resolve("unified"))) {
        if (Files.exists(top.resolve("cgroup.controllers"))) {
          found.addAll(search(top, name));
        }
      }
    } else if (Files.isDirectory(root.resolve(controller))) {
      found.addAll(search(root.resolve(controller), name));
    }
    return found;
  }

  private static List<Path> search(Path top, ContainerName name) throws IOException {
    List<Path> found = new ArrayList<>();
    var waiting = new ArrayDeque<Folder>();
    waiting.add(new Folder(top, 0));
    int read = 0;
    while (!waiting.isEmpty()) {
      var folder = waiting.remove();
      if (++read > FOLDERS) {
        throw new IOException(top + " has more than " + FOLDERS + " folders");
      }
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder.path())) {
        for (var entry : entries) {
          if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
            continue;
          }
          if (name.is(String.valueOf(entry.getFileName()))) {
            // What is below is the container's own, and freezes and dies with it.
            found.add(entry);
          } else if (folder.depth() < DEPTH) {
            waiting.add(new Folder(entry, folder.depth() + 1));
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        if (folder.depth() == 0) {
          throw e instanceof IOException io ? io : new IOException(e);
        }
        // Groups come and go meanwhile.
      }
    }
    return found;
  }
}
