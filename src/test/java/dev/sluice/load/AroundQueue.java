package dev.sluice.load;

import dev.sluice.queue.Queue;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A queue around each of whose statements a test does something. */
final class AroundQueue {

  /** The statement itself. */
  @FunctionalInterface
  interface Statement {
    @Nullable Object run() throws Throwable;
  }

  /** What is done around it. */
  @FunctionalInterface
  interface Around {
    @Nullable Object run(String method, @Nullable Object[] arguments, Statement statement)
        throws Throwable;
  }

  private AroundQueue() {}

  static Queue of(Queue queue, Around around) {
    InvocationHandler handler =
        (proxy, method, arguments) ->
            around.run(
                method.getName(),
                arguments == null ? new Object[0] : arguments,
                () -> {
                  try {
                    return method.invoke(queue, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return (Queue)
        Proxy.newProxyInstance(
            AroundQueue.class.getClassLoader(), new Class<?>[] {Queue.class}, handler);
  }
}
