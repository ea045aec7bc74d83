package dev.rekindle.detect.judge;

import java.io.IOException;

/** Takes what was judged, line by line. */
interface Report {
  /** Takes the next line; false when the reader has closed it. */
  boolean add(Judged judged) throws IOException;

  /** Nothing more comes. */
  void end(long lines, int boots) throws IOException;
}
