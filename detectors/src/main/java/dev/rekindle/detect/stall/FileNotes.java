package dev.rekindle.detect.stall;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Which files were passed over, and why. */
final class FileNotes {
  private static final int MOST_NOTES = 16;

  private final List<String> notes = new ArrayList<>();
  private int refused;

  void refuse(Path file, String why) {
    refused++;
    if (notes.size() < MOST_NOTES) {
      notes.add(file.getFileName() + ": " + why);
    } else if (notes.size() == MOST_NOTES) {
      notes.add("and more files that cannot be used");
    }
  }

  List<String> notes() {
    return notes;
  }

  int refused() {
    return refused;
  }
}
