package dev.sluice.load;

import dev.sluice.router.Router;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Several routers at once. */
final class Routers {
  private Routers() {}

  /** Stops all of them together, and waits until that is done. */
  static void stop(List<Router> routers) {
    ExecutorService threads = Executors.newFixedThreadPool(routers.size());
    try {
      CompletableFuture.allOf(
              routers.stream()
                  .map(router -> CompletableFuture.runAsync(router::stop, threads))
                  .toArray(CompletableFuture[]::new))
          .join();
    } finally {
      threads.shutdownNow();
    }
  }
}
