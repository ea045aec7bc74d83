package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads ranges of an object. A small one is fetched with what follows, since readers walk forward,
 * and what was fetched last is kept: each request takes as long as reading some hundred KiB.
 */
final class S3Source implements Source {
  private static final int BLOCK = 64 * 1024;
  private static final int LARGEST_KEPT = 4 * BLOCK;
  private static final int KEPT = 4;
  private static final int LARGEST_REQUEST = 8 * 1024 * 1024;
  private static final int MOST_AHEAD = 2_000;
  private static final int AT_ONCE = 16;

  private final Requests requests;
  private final Listing.Stored object;
  private final ArrayList<Block> blocks = new ArrayList<>();
  private final TreeMap<Long, Block> ahead = new TreeMap<>();

  /** Bytes of the object that were fetched. */
  private static final class Block {
    private final long position;
    private final byte[] bytes;

    Block(long position, byte[] bytes) {
      this.position = position;
      this.bytes = bytes;
    }

    boolean holds(long from, int length) {
      return from >= position && from + length <= position + bytes.length;
    }

    ByteBuffer slice(long from, int length) {
      return ByteBuffer.wrap(bytes)
          .slice((int) (from - position), length)
          .order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  S3Source(Requests requests, Listing.Stored object) {
    this.requests = requests;
    this.object = object;
  }

  @Override
  public long size() {
    return object.bytes();
  }

  @Override
  public ByteBuffer read(long position, int length) throws IOException {
    // Before the memory is taken: lengths come from the object.
    if (position < 0 || length < 0 || position > size() - length) {
      throw new EOFException("the file ends before what it says it holds");
    }
    var before = ahead.floorEntry(position);
    if (before != null && before.getValue().holds(position, length)) {
      return before.getValue().slice(position, length);
    }
    for (var block : blocks) {
      if (block.holds(position, length)) {
        return block.slice(position, length);
      }
    }
    if (length > LARGEST_KEPT) {
      return large(position, length);
    }
    var fetched = (int) Math.min(Math.max(length, BLOCK), size() - position);
    var block = new Block(position, requests.range(object, position, fetched));
    blocks.addFirst(block);
    if (blocks.size() > KEPT) {
      blocks.removeLast();
    }
    return block.slice(position, length);
  }

  private ByteBuffer large(long position, int length) throws IOException {
    var buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      var next = Math.min(buffer.remaining(), LARGEST_REQUEST);
      buffer.put(requests.range(object, position + buffer.position(), next));
    }
    return buffer.flip();
  }

  @Override
  public void ahead(long[] positions, int length) throws IOException {
    if (length > BLOCK) {
      return;
    }
    var wanted = new ArrayList<Long>();
    for (var position : positions) {
      var near = !wanted.isEmpty() && position + length <= wanted.getLast() + BLOCK;
      if (position >= 0 && position < size() && !near && wanted.size() < MOST_AHEAD) {
        wanted.add(position);
      }
    }
    // What few requests bring is fetched as it is read.
    if (wanted.size() > KEPT) {
      fetch(wanted, positions, length);
    }
  }

  private void fetch(List<Long> wanted, long[] positions, int length) throws IOException {
    try (var threads =
        Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().name("s3-range").factory())) {
      var fetched = new ArrayList<Future<Block>>();
      for (int i = 0; i < wanted.size(); i++) {
        long from = wanted.get(i);
        var next = i + 1 < wanted.size() ? wanted.get(i + 1) : Long.MAX_VALUE;
        var end = from + length;
        for (var position : positions) {
          end =
              position > from && position < next ? Math.min(position + length, from + BLOCK) : end;
        }
        var bytes = (int) (Math.min(end, size()) - from);
        fetched.add(threads.submit(() -> new Block(from, requests.range(object, from, bytes))));
      }
      for (var one : fetched) {
        var block = one.get();
        ahead.put(block.position, block);
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed;
      }
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(object.key(), "reading was interrupted");
    }
  }

  @Override
  public void close() {
    blocks.clear();
    ahead.clear();
  }
}
