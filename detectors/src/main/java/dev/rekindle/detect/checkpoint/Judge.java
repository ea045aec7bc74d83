package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Judges one generation; whatever goes wrong with it is a verdict too, and stops nothing else. */
final class Judge {
  private Judge() {}

  static Verdict of(CheckpointFormat format, Generation generation, Level upTo) {
    try {
      generation.folder().budget().nextGeneration();
      return format.judge(generation, upTo);
    } catch (EOFException e) {
      return Verdict.torn(Level.L3, String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException e) {
      return Verdict.unknown(Level.L1, told(e));
    }
  }

  /** Why something could not be looked at, a clause. */
  static String told(Exception e) {
    return switch (e) {
      case LimitException limit -> String.valueOf(limit.getMessage());
      case AccessDeniedException _ -> "the file may not be read by this user";
      case NoSuchFileException _ -> "a file that was listed is gone";
      case FileSystemException refused when refused.getReason() != null -> refused.getReason();
      default -> "reading failed: " + e.getClass().getSimpleName();
    };
  }
}
