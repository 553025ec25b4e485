package dev.sluice.delivery;

import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.apache.hc.client5.http.nio.AsyncClientConnectionOperator;
import org.apache.hc.client5.http.nio.ManagedAsyncClientConnection;
import org.apache.hc.core5.concurrent.ComplexFuture;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ConnectionInitiator;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Begins connections on threads of its own. The resolver of Java blocks: on the thread of a caller
 * or of the reactor, one dead name would hold up the calls to every target.
 */
final class Connector implements AsyncClientConnectionOperator {
  private final AsyncClientConnectionOperator operator;
  private final ExecutorService threads;

  Connector(AsyncClientConnectionOperator operator, ExecutorService threads) {
    this.operator = operator;
    this.threads = threads;
  }

  @Override
  public Future<ManagedAsyncClientConnection> connect(
      ConnectionInitiator initiator,
      HttpHost host,
      @Nullable Path socket,
      @Nullable NamedEndpoint name,
      @Nullable SocketAddress local,
      Timeout timeout,
      @Nullable Object attachment,
      @Nullable HttpContext context,
      FutureCallback<ManagedAsyncClientConnection> callback) {
    ComplexFuture<ManagedAsyncClientConnection> connection = new ComplexFuture<>(callback);
    Runnable begin =
        () -> {
          try {
            connection.setDependency(
                operator.connect(
                    initiator,
                    host,
                    socket,
                    name,
                    local,
                    timeout,
                    attachment,
                    context,
                    passingTo(connection)));
          } catch (RuntimeException e) {
            connection.failed(e);
          }
        };
    try {
      threads.execute(begin);
    } catch (RejectedExecutionException e) {
      connection.cancel();
    }
    return connection;
  }

  @Override
  public Future<ManagedAsyncClientConnection> connect(
      ConnectionInitiator initiator,
      HttpHost host,
      SocketAddress local,
      Timeout timeout,
      Object attachment,
      FutureCallback<ManagedAsyncClientConnection> callback) {
    return connect(initiator, host, null, null, local, timeout, attachment, null, callback);
  }

  @Override
  public void upgrade(ManagedAsyncClientConnection connection, HttpHost host, Object attachment) {
    operator.upgrade(connection, host, attachment);
  }

  @Override
  public void upgrade(
      ManagedAsyncClientConnection connection,
      HttpHost host,
      NamedEndpoint name,
      Object attachment,
      HttpContext context,
      FutureCallback<ManagedAsyncClientConnection> callback) {
    operator.upgrade(connection, host, name, attachment, context, callback);
  }

  private static FutureCallback<ManagedAsyncClientConnection> passingTo(
      ComplexFuture<ManagedAsyncClientConnection> connection) {
    return new FutureCallback<>() {
      @Override
      public void completed(ManagedAsyncClientConnection made) {
        // Whoever waited for it may have given up meanwhile.
        if (!connection.completed(made)) {
          made.close(CloseMode.IMMEDIATE);
        }
      }

      @Override
      public void failed(Exception cause) {
        connection.failed(cause);
      }

      @Override
      public void cancelled() {
        connection.cancel();
      }
    };
  }
}
