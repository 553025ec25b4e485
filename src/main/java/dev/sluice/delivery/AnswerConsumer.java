package dev.sluice.delivery;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * Takes in one answer with at most 1 MiB of its body. A longer body ends the exchange there, with
 * its connection, as closing the body does in Go: nobody knows how much more would come.
 */
final class AnswerConsumer implements AsyncResponseConsumer<Answer> {
  static final int MAX_BODY = 1 << 20;

  private final CompletableFuture<Answer> result;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream(0);
  private int received;
  private @Nullable Answer head;
  private @Nullable Answer whole;
  private @Nullable FutureCallback<Answer> exchange;

  /**
   * Makes the consumer of one answer.
   *
   * @param result completed when the answer is whole and its connection is free for the next
   */
  AnswerConsumer(CompletableFuture<Answer> result) {
    this.result = result;
  }

  @Override
  public void informationResponse(HttpResponse response, HttpContext context)
      throws ProtocolException {
    // What follows would be another protocol, and no answer.
    if (response.getCode() == HttpStatus.SC_SWITCHING_PROTOCOLS) {
      throw new ProtocolException("protocol switched unasked");
    }
  }

  @Override
  public void consumeResponse(
      HttpResponse response,
      @Nullable EntityDetails entity,
      HttpContext context,
      FutureCallback<Answer> callback) {
    Header retryAfter = response.getFirstHeader(HttpHeaders.RETRY_AFTER);
    head =
        new Answer(response.getCode(), Optional.ofNullable(retryAfter).map(Header::getValue), "");
    exchange = callback;
    if (entity == null) {
      finish();
    }
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws java.io.IOException {
    channel.update(Integer.MAX_VALUE);
  }

  @Override
  public void consume(ByteBuffer data) throws HttpStreamResetException {
    int taken = Math.min(data.remaining(), MAX_BODY - received);
    boolean tooLong = taken < data.remaining();
    received += taken;
    if (head != null && head.successful()) {
      byte[] bytes = new byte[taken];
      data.get(bytes);
      body.write(bytes, 0, taken);
    }
    data.position(data.limit());
    if (tooLong) {
      finish();
      throw new HttpStreamResetException("answer longer than " + MAX_BODY + " bytes");
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers) {
    finish();
  }

  private void finish() {
    if (head != null && exchange != null) {
      whole = new Answer(head.status(), head.retryAfter(), body.toString(StandardCharsets.UTF_8));
      exchange.completed(whole);
    }
  }

  @Override
  public void failed(Exception cause) {
    if (whole == null) {
      result.completeExceptionally(cause);
    }
  }

  /** Comes after the connection went back to its pool, where the next call finds it. */
  @Override
  public void releaseResources() {
    if (whole != null) {
      result.complete(whole);
    }
  }
}
