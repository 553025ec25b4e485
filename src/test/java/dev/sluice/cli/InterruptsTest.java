package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InterruptsTest {

  @Test
  void aHangupIsHeardAsOftenAsItComes() throws Exception {
    for (int i = 0; i < 2; i++) {
      CountDownLatch heard = new CountDownLatch(1);
      try (AutoCloseable listening = Interrupts.onHangup(heard::countDown)) {
        String self = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-HUP", self).start().waitFor();

        assertThat(heard.await(60, TimeUnit.SECONDS)).as(listening.toString()).isTrue();
      }
    }
  }
}
