package dev.rekindle.detect.evidence;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * Files of a container, by the paths that its processes use. Nothing outside of what the container
 * sees is reached, whatever links it has made.
 */
interface ContainerFiles {
  /**
   * A regular file.
   *
   * @param changed its modification time
   * @param size its length in bytes
   * @param inode its number, which another file in its place does not have
   */
  record Stamp(Instant changed, long size, long inode) {}

  /**
   * Checks a file without opening it.
   *
   * @param pid a process of the container
   * @return empty where there is no regular file with content
   * @throws IOException when the container cannot be entered
   */
  Optional<Stamp> stamp(long pid, String path) throws IOException;

  /**
   * Reads a regular file.
   *
   * @param most the first so many bytes are read, and no more
   * @throws IOException when it cannot be read, or is no regular file with content
   */
  byte[] read(long pid, String path, int most) throws IOException;

  /**
   * Writes one byte into a pipe, without waiting for a reader.
   *
   * @return whether there is a pipe, and a process that reads it
   * @throws IOException when the container cannot be entered
   */
  boolean poke(long pid, String path) throws IOException;

  /**
   * Checks whether a process reads a pipe. Nothing is written: a flight recorder that is asked so
   * writes no dump.
   *
   * @return whether there is a pipe, and a process that reads it
   * @throws IOException when the container cannot be entered
   */
  boolean isRead(long pid, String path) throws IOException;
}
