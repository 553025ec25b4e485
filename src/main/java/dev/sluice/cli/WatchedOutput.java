package dev.sluice.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers why writing failed, which a {@link java.io.PrintStream} only says happened; drops what
 * is written after that. Thread-safe.
 */
final class WatchedOutput extends FilterOutputStream {
  /**
   * Why nothing more can be written.
   *
   * @param readerGone whether whoever read our output has closed it, which is no error
   * @param reason the system's words
   */
  record Failure(boolean readerGone, String reason) {}

  private volatile @Nullable Failure failure;

  WatchedOutput(OutputStream out) {
    super(out);
  }

  Optional<Failure> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    if (failure == null) {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        failure = failureOf(e);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    if (failure == null) {
      try {
        out.flush();
      } catch (IOException e) {
        failure = failureOf(e);
      }
    }
  }

  private static Failure failureOf(IOException e) {
    String reason = String.valueOf(e.getMessage());
    return new Failure(reason.contains("Broken pipe") || reason.contains("Pipe closed"), reason);
  }
}
