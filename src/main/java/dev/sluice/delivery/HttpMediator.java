package dev.sluice.delivery;

import dev.sluice.delivery.HttpTransport.Network;
import dev.sluice.queue.Delivery;
import dev.sluice.time.Time;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers by HTTP, as the Go router does: one POST per try, up to 3 tries, 1 s then 2 s apart, as
 * long as the target fails or cannot be reached.
 *
 * <p>A target that fails too often is left alone for a while, by a breaker for each URL.
 *
 * <p>Starts its threads with the first delivery, and holds none for a call that waits. A stage
 * completes on one of them or on one of the clock: what depends on it must not block.
 *
 * <p>A harel event goes out as it is, with its group in {@code X-Sluice-Group}: percent signs,
 * spaces and what is not visible ASCII percent-encoded as UTF-8.
 *
 * <p>Safe for use by many threads.
 */
public final class HttpMediator implements Mediator, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpMediator.class);

  private final Time time;
  private final HttpOptions options;
  private final Supplier<Network> network;
  private final Breakers breakers;
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private @Nullable HttpTransport transport;
  private volatile boolean closed;

  /** Makes a mediator; it does nothing until the first delivery. */
  public HttpMediator(Time time, HttpOptions options) {
    this(time, options, Network::system);
  }

  HttpMediator(Time time, HttpOptions options, Supplier<Network> network) {
    this.time = time;
    this.options = options;
    this.network = network;
    breakers = new Breakers(time);
  }

  @Override
  public CompletionStage<Outcome> deliver(Delivery delivery) {
    if (closed) {
      return CompletableFuture.completedFuture(Call.unreachable("given up: shutting down"));
    }
    try {
      Request request = Request.of(delivery);
      options.allowed().require(request.target());
      String url = delivery.message().mediationTarget();
      return breakers.guard(url, request.target().safe(), () -> call(request));
    } catch (UndeliverableException e) {
      return CompletableFuture.completedFuture(new Outcome.Permanent(e.reason(), false));
    } catch (RuntimeException e) {
      // The text of an exception may repeat what it was given, and that is secret.
      LOG.error("cannot call the target of {}: {}", delivery, Failure.describe(e));
      return CompletableFuture.completedFuture(
          Call.unreachable(Failure.describe(e) + " before the call"));
    }
  }

  /**
   * The breakers of the targets called lately, in no particular order. URLs that differ only in
   * user info and query are listed as one target, which is open if one of them is.
   */
  public List<BreakerStatus> breakers() {
    return breakers.status();
  }

  private CompletionStage<Outcome> call(Request request) {
    Call call = new Call(request, transport(), time, options.exchangeTimeout());
    calls.add(call);
    call.outcome().whenComplete((outcome, failure) -> calls.remove(call));
    call.start();
    if (closed) {
      call.abandon();
    }
    return call.outcome();
  }

  private synchronized HttpTransport transport() {
    if (closed) {
      throw new IllegalStateException("the mediator is closed");
    }
    if (transport == null) {
      transport = new HttpTransport(options, network.get());
    }
    return transport;
  }

  /** Gives up the calls under way, which end as unreachable, and those to come. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      breakers.close();
      if (transport != null) {
        transport.close();
      }
    }
    calls.forEach(Call::abandon);
  }
}
