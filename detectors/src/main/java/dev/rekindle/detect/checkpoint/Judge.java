package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.StoreException;
import dev.rekindle.detect.checkpoint.files.TimeOverException;
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

  /**
   * A verdict.
   *
   * @param verdict what it is
   * @param lasts whether another scan of the same files would give the same
   */
  record Judged(Verdict verdict, boolean lasts) {}

  static Judged of(CheckpointFormat format, Generation generation, Level upTo) {
    try {
      generation.folder().budget().nextGeneration();
      if (generation.entry().kind() == Entry.Kind.OUTSIDE) {
        return new Judged(
            Verdict.unknown(Level.L2, "a link that leads out of the directory"), true);
      }
      var unfinished = TemporaryName.unfinished(generation);
      if (unfinished.isPresent()) {
        return new Judged(Verdict.torn(Level.L1, unfinished.get()), true);
      }
      return new Judged(format.judge(generation, upTo), true);
    } catch (EOFException e) {
      return new Judged(Verdict.torn(Level.L3, String.valueOf(e.getMessage())), true);
    } catch (StoreException | TimeOverException e) {
      return new Judged(Verdict.unknown(Level.L1, reason(e)), false);
    } catch (IOException | RuntimeException e) {
      return new Judged(Verdict.unknown(Level.L1, reason(e)), true);
    }
  }

  /** Why something could not be read, a clause. */
  static String reason(Exception e) {
    return switch (e) {
      case LimitException limit -> String.valueOf(limit.getMessage());
      case TimeOverException over -> String.valueOf(over.getMessage());
      case AccessDeniedException _ -> "the file may not be read by this user";
      case NoSuchFileException _ -> "a file that was listed is gone";
      case FileSystemException refused when refused.getReason() != null -> refused.getReason();
      default -> "reading failed: " + e.getClass().getSimpleName();
    };
  }
}
