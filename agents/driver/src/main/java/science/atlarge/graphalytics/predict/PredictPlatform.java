package science.atlarge.graphalytics.predict;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import science.atlarge.graphalytics.domain.algorithms.AlgorithmParameters;
import science.atlarge.graphalytics.domain.algorithms.BreadthFirstSearchParameters;
import science.atlarge.graphalytics.domain.algorithms.CommunityDetectionLPParameters;
import science.atlarge.graphalytics.domain.algorithms.PageRankParameters;
import science.atlarge.graphalytics.domain.algorithms.SingleSourceShortestPathsParameters;
import science.atlarge.graphalytics.domain.benchmark.BenchmarkRun;
import science.atlarge.graphalytics.domain.graph.FormattedGraph;
import science.atlarge.graphalytics.domain.graph.LoadedGraph;
import science.atlarge.graphalytics.execution.BenchmarkRunner;
import science.atlarge.graphalytics.execution.Platform;
import science.atlarge.graphalytics.execution.PlatformExecutionException;
import science.atlarge.graphalytics.execution.RunSpecification;
import science.atlarge.graphalytics.report.result.BenchmarkMetric;
import science.atlarge.graphalytics.report.result.BenchmarkMetrics;

/** Hands the harness's calls to the scripts in bin/sh, and reads T_proc from what the kernel prints. */
public class PredictPlatform implements Platform {

    private static final Path SCRIPTS = Paths.get("bin", "sh");
    private static final Path LOADED = Paths.get("intermediate");

    @Override
    public void verifySetup() {
        for (String name : Arrays.asList("load-graph.sh", "execute-job.sh", "unload-graph.sh", "launch.sh")) {
            if (!Files.isExecutable(SCRIPTS.resolve(name))) {
                throw new IllegalStateException(SCRIPTS.resolve(name) + " is missing or is no executable file.");
            }
        }
    }

    @Override
    public LoadedGraph loadGraph(FormattedGraph graph) throws Exception {
        Path loaded = loadedPath(graph);
        must(script("load-graph.sh",
                "--graph-name", graph.getName(),
                "--input-vertex-path", graph.getVertexFilePath(),
                "--input-edge-path", graph.getEdgeFilePath(),
                "--output-path", loaded.toString(),
                "--directed", String.valueOf(graph.isDirected()),
                "--weighted", String.valueOf(graph.hasEdgeProperties()),
                "--num-machines", setting("platform.predict.num-machines")), null);
        return new LoadedGraph(graph, loaded.toString());
    }

    @Override
    public void prepare(RunSpecification specification) {
    }

    @Override
    public void startup(RunSpecification specification) throws IOException {
        Files.createDirectories(logFolder(specification));
    }

    @Override
    public void run(RunSpecification specification) throws PlatformExecutionException {
        BenchmarkRun run = specification.getBenchmarkRun();
        Path output = specification.getBenchmarkRunSetup().getOutputDir().resolve(run.getName()).toAbsolutePath();
        List<String> words = script("execute-job.sh",
                "--job-id", run.getId(),
                "--log-path", logFolder(specification).toString(),
                "--directed", String.valueOf(run.getFormattedGraph().isDirected()),
                "--algorithm", run.getAlgorithm().getAcronym().toLowerCase(Locale.ROOT));
        words.addAll(parameters(run.getAlgorithmParameters()));
        words.addAll(Arrays.asList(
                "--input-dir", loadedPath(run.getFormattedGraph()).toString(),
                "--output-file", output.toString(),
                "--num-machines", setting("platform.predict.num-machines"),
                "--num-threads", "1"));
        try {
            must(words, logFolder(specification).resolve("runner.logs"));
        } catch (PlatformExecutionException e) {
            throw e;
        } catch (Exception e) {
            throw new PlatformExecutionException("The job could not be run.", e);
        }
    }

    @Override
    public BenchmarkMetrics finalize(RunSpecification specification) throws IOException {
        BenchmarkMetrics metrics = new BenchmarkMetrics();
        metrics.setProcessingTime(new BenchmarkMetric(processingTime(logFolder(specification).resolve("runner.logs")), "s"));
        return metrics;
    }

    @Override
    public void terminate(RunSpecification specification) {
        BenchmarkRunner.terminatePlatform(specification);
    }

    /** The harness passes null after a load that failed. */
    @Override
    public void deleteGraph(LoadedGraph loaded) throws Exception {
        if (loaded == null) {
            return;
        }
        FormattedGraph graph = loaded.getFormattedGraph();
        must(script("unload-graph.sh",
                "--graph-name", graph.getName(),
                "--output-path", loadedPath(graph).toString(),
                "--num-machines", setting("platform.predict.num-machines")), null);
    }

    @Override
    public String getPlatformName() {
        return "predict";
    }

    private static Path loadedPath(FormattedGraph graph) {
        return LOADED.resolve(graph.getName()).toAbsolutePath();
    }

    private static Path logFolder(RunSpecification specification) {
        return specification.getBenchmarkRunSetup().getLogDir().resolve("platform").toAbsolutePath();
    }

    private static List<String> parameters(AlgorithmParameters given) {
        if (given instanceof BreadthFirstSearchParameters) {
            return Arrays.asList("--source-vertex", String.valueOf(((BreadthFirstSearchParameters) given).getSourceVertex()));
        }
        if (given instanceof SingleSourceShortestPathsParameters) {
            return Arrays.asList("--source-vertex",
                    String.valueOf(((SingleSourceShortestPathsParameters) given).getSourceVertex()));
        }
        if (given instanceof CommunityDetectionLPParameters) {
            return Arrays.asList("--max-iteration",
                    String.valueOf(((CommunityDetectionLPParameters) given).getMaxIterations()));
        }
        if (given instanceof PageRankParameters) {
            PageRankParameters rank = (PageRankParameters) given;
            return Arrays.asList("--damping-factor", String.valueOf(rank.getDampingFactor()),
                    "--max-iteration", String.valueOf(rank.getNumberOfIterations()));
        }
        return new ArrayList<>();
    }

    private static List<String> script(String name, String... options) {
        List<String> words = new ArrayList<>();
        words.add(SCRIPTS.resolve(name).toAbsolutePath().toString());
        words.addAll(Arrays.asList(options));
        return words;
    }

    /** Runs a script to its end; what it prints goes on, and into a file where one is given. */
    private static void must(List<String> words, Path log) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        PrintStream copy = log == null ? null : new PrintStream(Files.newOutputStream(log), true, "UTF-8");
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println(line);
                if (copy != null) {
                    copy.println(line);
                }
            }
        } finally {
            if (copy != null) {
                copy.close();
            }
        }
        int status = process.waitFor();
        if (status != 0) {
            throw new PlatformExecutionException(Paths.get(words.get(0)).getFileName() + " ended with status " + status);
        }
    }

    /** A setting of config/platform.properties, which is on the class path; empty where it is absent. */
    private static String setting(String key) {
        Properties properties = new Properties();
        try (InputStream stream = PredictPlatform.class.getResourceAsStream("/platform.properties")) {
            if (stream != null) {
                properties.load(stream);
            }
        } catch (IOException e) {
            throw new IllegalStateException("platform.properties cannot be read.", e);
        }
        return properties.getProperty(key, "").trim();
    }

    /** T_proc in seconds: the kernel's own figure, which is finer than the milliseconds of its two lines. */
    static BigDecimal processingTime(Path log) throws IOException {
        BigDecimal fine = null;
        long start = -1;
        long end = -1;
        for (String line : Files.readAllLines(log, StandardCharsets.UTF_8)) {
            String last = line.substring(line.trim().lastIndexOf(' ') + 1).trim();
            try {
                if (line.startsWith("Processing starts at")) {
                    start = Long.parseLong(last);
                } else if (line.startsWith("Processing ends at")) {
                    end = Long.parseLong(last);
                } else if (line.startsWith("processing_time:")) {
                    fine = new BigDecimal(last).setScale(6, RoundingMode.HALF_UP);
                }
            } catch (NumberFormatException e) {
                System.out.println("This line tells no time: " + line);
            }
        }
        if (start < 0 || end < start) {
            throw new IllegalStateException(log + " does not say when processing started and ended.");
        }
        BigDecimal coarse = BigDecimal.valueOf(end - start, 3);
        BigDecimal apart = fine == null ? null : fine.subtract(coarse).abs();
        return apart != null && apart.compareTo(new BigDecimal("0.002")) <= 0 ? fine : coarse;
    }
}
