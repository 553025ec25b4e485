package dev.sluice.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * Arrows point one way: cli, then bench, monitor, router and migrate, then delivery and the
 * backends, then queue. The monitor stands above the router, which tells it what it does without
 * knowing it.
 */
class ArchitectureTest {
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.sluice");

  @Test
  void theContractDependsOnNothingOfOurs() {
    classes()
        .that()
        .resideInAPackage("dev.sluice.queue")
        .should()
        .onlyDependOnClassesThat()
        .resideOutsideOfPackages(
            "dev.sluice.queue.*..",
            "dev.sluice.delivery..",
            "dev.sluice.router..",
            "dev.sluice.cli..",
            "dev.sluice.time..")
        .check(OURS);
  }

  @Test
  void noBackendKnowsTheRouterOrDelivery() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.queue..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.router..", "dev.sluice.delivery..", "dev.sluice.cli..")
        .check(OURS);
  }

  @Test
  void onlyTheUriPackageKnowsTheBackends() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.sluice.queue.uri..", "dev.sluice.queue.legacy..", "dev.sluice.queue.harel..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.queue.legacy..", "dev.sluice.queue.harel..")
        .check(OURS);
  }

  @Test
  void theBackendsDoNotKnowEachOther() {
    slices()
        .matching("dev.sluice.queue.(legacy|harel)..")
        .should()
        .notDependOnEachOther()
        .check(OURS);
  }

  @Test
  void deliveryKnowsNeitherRouterNorBackend() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.delivery..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.router..", "dev.sluice.queue.*..", "dev.sluice.cli..")
        .check(OURS);
  }

  @Test
  void theRouterKnowsNoBackendAndNoCommand() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.router..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.queue.*..", "dev.sluice.cli..")
        .check(OURS);
  }

  @Test
  void migrationKnowsDatabasesAndNothingAboveThem() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.migrate..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.cli..", "dev.sluice.router..", "dev.sluice.delivery..")
        .check(OURS);
  }

  @Test
  void onlyTheCommandsKnowMigration() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.sluice.migrate..", "dev.sluice.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.sluice.migrate..")
        .check(OURS);
  }

  @Test
  void theMonitorKnowsNeitherCommandsNorMigrationNorBackend() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.monitor..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.cli..", "dev.sluice.migrate..", "dev.sluice.queue.*..")
        .check(OURS);
  }

  @Test
  void onlyTheCommandsKnowTheMonitor() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.sluice.monitor..", "dev.sluice.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.sluice.monitor..")
        .check(OURS);
  }

  @Test
  void onlyTheMonitorKnowsItsServerAndItsMeters() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.sluice.monitor..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.javalin..", "org.eclipse.jetty..", "io.micrometer..", "io.prometheus..", "kotlin..")
        .check(OURS);
  }

  @Test
  void onlyTheCommandsKnowTheConfig() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.sluice.config..", "dev.sluice.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.sluice.config..")
        .check(OURS);
  }

  @Test
  void theConfigKnowsNoCommandAndNoBackend() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.config..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.sluice.cli..", "dev.sluice.queue.legacy..", "dev.sluice.queue.harel..")
        .check(OURS);
  }

  @Test
  void onlyTheCommandsKnowTheBench() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.sluice.bench..", "dev.sluice.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.sluice.bench..")
        .check(OURS);
  }

  @Test
  void theBenchKnowsNoCommand() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.bench..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.cli..", "dev.sluice.migrate..", "dev.sluice.monitor..")
        .check(OURS);
  }

  @Test
  void onlyTheBenchDraws() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.sluice.bench..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.knowm..", "java.awt..")
        .check(OURS);
  }

  @Test
  void nothingButTheCommandsKnowsPicocli() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.sluice.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("picocli..")
        .check(OURS);
  }

  @Test
  void packagesFormNoCircle() {
    slices().matching("dev.sluice.(**)").should().beFreeOfCycles().check(OURS);
  }
}
