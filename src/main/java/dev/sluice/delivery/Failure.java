package dev.sluice.delivery;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.apache.hc.core5.http.MessageConstraintException;

/** Says in a few words why no answer came. Never repeats what the target or the message said. */
public final class Failure {
  private static final int MAX_DETAIL = 120;

  private Failure() {}

  /** A few words for a person; never what the other side said. */
  public static String describe(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof UnknownHostException) {
      return "unknown host";
    }
    if (cause instanceof ConnectTimeoutException) {
      return "connect timed out";
    }
    if (cause instanceof NoRouteToHostException) {
      return "no route to host";
    }
    if (cause instanceof ConnectException) {
      return "connection refused";
    }
    if (cause instanceof SSLException) {
      return "TLS failed (" + detail(cause) + ")";
    }
    if (cause instanceof ConnectionClosedException
        || cause instanceof SocketException
        || cause instanceof HttpStreamResetException) {
      return "connection lost";
    }
    if (cause instanceof TimeoutException) {
      return "timed out";
    }
    if (cause instanceof HttpException || cause instanceof MessageConstraintException) {
      return "no valid HTTP answer";
    }
    if (cause instanceof CancellationException) {
      return "given up";
    }
    return "failed (" + cause.getClass().getSimpleName() + ")";
  }

  /** What TLS says is about certificates and protocols; a person needs it to mend them. */
  private static String detail(Throwable cause) {
    String message = String.valueOf(cause.getMessage()).replaceAll("\\p{Cntrl}", " ");
    return message.length() <= MAX_DETAIL ? message : message.substring(0, MAX_DETAIL) + "...";
  }
}
