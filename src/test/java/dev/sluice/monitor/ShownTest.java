package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShownTest {

  @ParameterizedTest
  @CsvSource({
    "orders, orders",
    "shop/orders, orders",
    "shop/, shop/",
    "https://sqs.eu.example/1234/orders, orders",
    "postgres://app:secret@db.example/shop, shop",
    "postgres://app:secret@db.example/shop?password=a/b@c, shop",
    "postgres://app:secret@db.example, db.example",
    "postgres://app:secret@db.example/, db.example",
    "postgres://app:secret@db.example/?password=x, db.example"
  })
  void aQueueIsNamedAsInTheGoRouterAndWithoutSecrets(String name, String shown) {
    assertThat(Shown.queue(name)).isEqualTo(shown);
  }

  @Test
  void whatMessagesBringInIsCut() {
    assertThat(Shown.target("h".repeat(10_000))).isEqualTo("h".repeat(300) + "...");
  }
}
