package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.NavigableSet;

/**
 * Whether a file ends in pages that were never written. Where the power fails, a file may keep its
 * length and lose the pages that were still in memory: it ends in zeros, which begin at a page.
 * Tensors of zeros are common, but theirs begin where the tensor does.
 */
final class ZeroTail {
  private static final int PAGE = 4096;
  private static final int PIECE = 64 * 1024;

  /** The last values before the zeros may have zero bytes themselves. */
  private static final int OF_A_VALUE = 8;

  /** Zeros further back than this are followed from tensor to tensor only. */
  private static final int FURTHEST = 64 * 1024 * 1024;

  private static final int MOST_TENSORS = 1_000;

  private ZeroTail() {}

  /**
   * Whether zeros begin at a page, within a tensor, and reach to the end.
   *
   * @param starts where tensors begin in the file
   */
  static boolean begins(Source file, NavigableSet<Long> starts) throws IOException {
    var zeros = zerosFrom(file);
    if (zeros < 0) {
      return beginsFurtherBack(file, starts);
    }
    var page = Math.ceilDiv(zeros, (long) PAGE) * PAGE;
    if (page >= file.size() || page - zeros >= OF_A_VALUE) {
      return false;
    }
    var start = starts.floor(page);
    return start != null && start < zeros;
  }

  /**
   * Whether the first tensor that is not of zeros from its beginning on is the last one with data:
   * then the zeros begin within it. Where it ends with data they begin where the next one does.
   */
  private static boolean beginsFurtherBack(Source file, NavigableSet<Long> starts)
      throws IOException {
    var at = file.size() - FURTHEST;
    for (int tensors = 0; tensors < MOST_TENSORS; tensors++) {
      var start = starts.floor(at);
      if (start == null) {
        return true;
      }
      if (lastOther(file.read(start, (int) Math.min(PIECE, at - start + 1))) >= 0) {
        return true;
      }
      if (lastOther(file.read(Math.max(0, start - PAGE), (int) Math.min(start, PAGE))) >= 0) {
        return false;
      }
      at = start - 1;
    }
    return true;
  }

  /** Where the zeros at the end begin; the size where there are none, -1 where further back. */
  private static long zerosFrom(Source file) throws IOException {
    var size = file.size();
    var at = size;
    while (at > 0 && size - at < FURTHEST) {
      var length = (int) Math.min(at, PIECE);
      var last = lastOther(file.read(at - length, length));
      if (last >= 0) {
        return at - length + last + 1;
      }
      at -= length;
    }
    return at > 0 ? -1 : size;
  }

  private static int lastOther(ByteBuffer piece) {
    for (int i = piece.remaining() - 1; i >= 0; i--) {
      if (piece.get(i) != 0) {
        return i;
      }
    }
    return -1;
  }
}
