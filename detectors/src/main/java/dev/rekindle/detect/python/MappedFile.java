package dev.rekindle.detect.python;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program or library that a process has mapped.
 *
 * @param path its path, as the process named it
 * @param base where its beginning is
 */
record MappedFile(String path, long base) {
  /** A large process has some 10,000 mappings of 100 bytes. */
  static final int MOST_BYTES = 8 << 20;

  private static final int MOST_FILES = 8;

  // start-end perms offset dev inode path, from proc_pid_maps(5).
  private static final Pattern FIRST =
      Pattern.compile("(?<base>[0-9a-f]{1,15})-[0-9a-f]{1,16} \\S{4} 0+ \\S+ \\d+ +(?<path>/.*)");

  private static final Pattern INTERPRETER =
      Pattern.compile(".*/(libpython3\\.\\d+\\S*\\.so\\S*|python(3(\\.\\d+)?)?)( \\(deleted\\))?");

  /**
   * Those that may be a Python interpreter, libraries first: a program that uses one has no
   * interpreter of its own.
   *
   * @param maps text of {@code /proc/PID/maps}
   */
  static List<MappedFile> interpreters(String maps) {
    List<MappedFile> libraries = new ArrayList<>();
    List<MappedFile> programs = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (var line : (Iterable<String>) maps.lines()::iterator) {
      Matcher m = FIRST.matcher(line);
      if (!m.matches() || !INTERPRETER.matcher(m.group("path")).matches()) {
        continue;
      }
      var path = m.group("path");
      if (seen.size() < MOST_FILES && seen.add(path)) {
        var files = path.contains("/libpython") ? libraries : programs;
        files.add(new MappedFile(path, Long.parseLong(m.group("base"), 16)));
      }
    }
    libraries.addAll(programs);
    return libraries;
  }
}
