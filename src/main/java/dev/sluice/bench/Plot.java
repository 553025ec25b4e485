package dev.sluice.bench;

import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws the medians of one operation over the size of the table: a line for each entrant and shape.
 */
public final class Plot {
  private static final int WIDTH = 1_100;
  private static final int HEIGHT = 700;
  private static final double MILLIS = 1e3;
  private static final Map<String, Color> COLOURS =
      Map.of(
          Entrants.SEED, new Color(0xB0302B),
          Entrants.SEED_INDEXED, new Color(0xE39A4F),
          Entrants.OURS_PLAIN, new Color(0x7A8CA3),
          Entrants.OURS, new Color(0x1F6FB5),
          Entrants.OURS_NOTIFIED, new Color(0x2A8F6A),
          Entrants.BARE, new Color(0x555555));

  /** One for each shape. */
  private static final List<Marker> MARKERS =
      List.of(
          SeriesMarkers.CIRCLE,
          SeriesMarkers.SQUARE,
          SeriesMarkers.TRIANGLE_UP,
          SeriesMarkers.DIAMOND,
          SeriesMarkers.TRIANGLE_DOWN,
          SeriesMarkers.CROSS,
          SeriesMarkers.PLUS,
          SeriesMarkers.RECTANGLE);

  /** With more shapes than this only the seed and ours are drawn. */
  private static final int SHAPES_OF_ALL = 2;

  /** How a picture is written. */
  private enum Format {
    PNG,
    SVG
  }

  private final Operation operation;
  private final List<Result> results;
  private final Format format;
  private final Path file;

  private Plot(Operation operation, List<Result> results, Format format, Path file) {
    this.operation = operation;
    this.results = results;
    this.format = format;
    this.file = file;
  }

  /**
   * Checks that a file can be drawn.
   *
   * @throws IllegalArgumentException unless its name ends with {@code .png} or {@code .svg} and its
   *     directory is there to be written to
   */
  public static void check(Path file) {
    Format unused = format(file);
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new IllegalArgumentException("plot: no such directory: " + directory);
    }
    if (!Files.isWritable(directory)) {
      throw new IllegalArgumentException("plot: may not be written: " + directory);
    }
  }

  private static Format format(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".png")) {
      return Format.PNG;
    }
    if (name.endsWith(".svg")) {
      return Format.SVG;
    }
    throw new IllegalArgumentException("plot: the file's name must end with .png or .svg");
  }

  /**
   * Draws the results of one operation.
   *
   * @throws IllegalArgumentException as {@link #check}, or if there are no results of it
   * @throws IOException if the file cannot be written
   */
  public static void write(Operation operation, List<Result> results, Path file)
      throws IOException {
    List<Result> own = results.stream().filter(r -> r.operation() == operation).toList();
    if (own.isEmpty()) {
      throw new IllegalArgumentException("plot: nothing was measured of " + operation);
    }
    // There need not be a screen.
    System.setProperty("java.awt.headless", "true");
    new Plot(operation, own, format(file), file).write();
  }

  private void write() throws IOException {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Time of one " + operation.unit() + " over the size of the table: " + operation)
            .xAxisTitle(operation.ofHarel() ? "groups" : "rows")
            .yAxisTitle("milliseconds, median")
            .build();
    chart
        .getStyler()
        .setXAxisLogarithmic(true)
        .setYAxisLogarithmic(true)
        .setXAxisDecimalPattern("#,###")
        .setYAxisDecimalPattern("#,##0.###")
        .setLegendPosition(LegendPosition.OutsideE)
        .setChartBackgroundColor(Color.WHITE);
    List<String> shapes = results.stream().map(Result::shape).distinct().toList();
    for (List<Result> line : lines(shapes.size() > SHAPES_OF_ALL)) {
      int shape = shapes.indexOf(line.get(0).shape());
      draw(chart, line, MARKERS.get(shape % MARKERS.size()));
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      if (format == Format.PNG) {
        BitmapEncoder.saveBitmap(chart, out, BitmapFormat.PNG);
      } else {
        VectorGraphicsEncoder.saveVectorGraphic(chart, out, VectorGraphicsFormat.SVG);
      }
    }
  }

  private Collection<List<Result>> lines(boolean few) {
    Map<String, List<Result>> lines = new LinkedHashMap<>();
    for (Result result : results) {
      if (!few || Set.of(Entrants.SEED, Entrants.OURS).contains(result.entrant())) {
        lines.computeIfAbsent(name(result), name -> new ArrayList<>()).add(result);
      }
    }
    return lines.values();
  }

  private static String name(Result result) {
    return result.entrant() + ", " + result.shape();
  }

  private static void draw(XYChart chart, List<Result> line, Marker marker) {
    Result first = line.get(0);
    Color colour = COLOURS.getOrDefault(first.entrant(), Color.BLACK);
    XYSeries series =
        chart.addSeries(
            name(first),
            line.stream().mapToDouble(Result::rows).toArray(),
            line.stream().mapToDouble(r -> r.median() * MILLIS).toArray());
    series.setLineColor(colour);
    series.setLineStyle(SeriesLines.SOLID);
    series.setMarkerColor(colour);
    series.setMarker(marker);
  }
}
