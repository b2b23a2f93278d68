import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The classes of the harness that a platform uses, with the signatures of version 1.11 and just enough inside to be driven. */
const CLASSES: Readonly<Record<string, string>> = {
  'domain.algorithms.Algorithm':
    'public enum Algorithm { BFS, CDLP, LCC, PR, SSSP, WCC; public String getAcronym() { return name(); } }',
  'domain.algorithms.AlgorithmParameters':
    'public abstract class AlgorithmParameters implements java.io.Serializable {}',
  'domain.algorithms.BreadthFirstSearchParameters':
    'public final class BreadthFirstSearchParameters extends AlgorithmParameters { public long getSourceVertex() { return 1; } }',
  'domain.algorithms.CommunityDetectionLPParameters':
    'public final class CommunityDetectionLPParameters extends AlgorithmParameters { public int getMaxIterations() { return 2; } }',
  'domain.algorithms.PageRankParameters':
    'public final class PageRankParameters extends AlgorithmParameters { public float getDampingFactor() { return 0.85f; } public int getNumberOfIterations() { return 2; } }',
  'domain.algorithms.SingleSourceShortestPathsParameters':
    'public final class SingleSourceShortestPathsParameters extends AlgorithmParameters { public long getSourceVertex() { return 1; } }',
  'domain.graph.FormattedGraph': `public final class FormattedGraph {
    private final String folder;
    public FormattedGraph(String folder) { this.folder = folder; }
    public String getName() { return "example-directed"; }
    public boolean isDirected() { return true; }
    public boolean hasEdgeProperties() { return true; }
    public String getVertexFilePath() { return folder + "/example-directed.v"; }
    public String getEdgeFilePath() { return folder + "/example-directed.e"; } }`,
  'domain.graph.LoadedGraph': `public class LoadedGraph {
    private final FormattedGraph graph;
    public LoadedGraph(FormattedGraph graph, String path) { this.graph = graph; }
    public FormattedGraph getFormattedGraph() { return graph; } }`,
  'domain.benchmark.BenchmarkRun': `import science.atlarge.graphalytics.domain.algorithms.*;
    import science.atlarge.graphalytics.domain.graph.*;
    public final class BenchmarkRun {
    private final FormattedGraph graph;
    public BenchmarkRun(FormattedGraph graph) { this.graph = graph; }
    public String getId() { return "r1"; }
    public String getName() { return "r1-PR-example-directed"; }
    public Algorithm getAlgorithm() { return Algorithm.PR; }
    public AlgorithmParameters getAlgorithmParameters() { return new PageRankParameters(); }
    public FormattedGraph getFormattedGraph() { return graph; } }`,
  'execution.BenchmarkRunSetup': `import java.nio.file.*;
    public class BenchmarkRunSetup {
    public Path getLogDir() { return Paths.get("report/x/log/r1-PR-example-directed"); }
    public Path getOutputDir() { return Paths.get("output/r1-PR-example-directed"); } }`,
  'execution.RunSpecification': `import science.atlarge.graphalytics.domain.benchmark.BenchmarkRun;
    public class RunSpecification {
    private final BenchmarkRun run;
    public RunSpecification(BenchmarkRun run) { this.run = run; }
    public BenchmarkRun getBenchmarkRun() { return run; }
    public BenchmarkRunSetup getBenchmarkRunSetup() { return new BenchmarkRunSetup(); } }`,
  'execution.BenchmarkRunner':
    'public class BenchmarkRunner { public static void terminatePlatform(RunSpecification specification) {} }',
  'execution.PlatformExecutionException': `public class PlatformExecutionException extends Exception {
    public PlatformExecutionException(String message) { super(message); }
    public PlatformExecutionException(String message, Throwable cause) { super(message, cause); } }`,
  'execution.Platform': `import science.atlarge.graphalytics.domain.graph.*;
    import science.atlarge.graphalytics.report.result.BenchmarkMetrics;
    public interface Platform {
    void verifySetup() throws Exception;
    LoadedGraph loadGraph(FormattedGraph graph) throws Exception;
    void prepare(RunSpecification specification) throws Exception;
    void startup(RunSpecification specification) throws Exception;
    void run(RunSpecification specification) throws PlatformExecutionException;
    BenchmarkMetrics finalize(RunSpecification specification) throws Exception;
    void terminate(RunSpecification specification) throws Exception;
    void deleteGraph(LoadedGraph graph) throws Exception;
    String getPlatformName(); }`,
  'report.result.BenchmarkMetric': `import java.math.BigDecimal;
    public class BenchmarkMetric {
    private final BigDecimal value;
    public BenchmarkMetric(BigDecimal value, String unit) { this.value = value; }
    public String toString() { return value.toString(); } }`,
  'report.result.BenchmarkMetrics': `public class BenchmarkMetrics {
    private BenchmarkMetric time;
    public void setProcessingTime(BenchmarkMetric time) { this.time = time; }
    public BenchmarkMetric getProcessingTime() { return time; } }`,
  /** Does with the platform what the harness does, in its order. */
  Drive: `import science.atlarge.graphalytics.domain.benchmark.BenchmarkRun;
    import science.atlarge.graphalytics.domain.graph.*;
    import science.atlarge.graphalytics.execution.*;
    public class Drive {
    public static void main(String[] words) throws Exception {
      java.util.Properties build = new java.util.Properties();
      build.load(Drive.class.getResourceAsStream("/project/build/platform.properties"));
      String name = build.getProperty("build.platform.name").replace("graphalytics-platforms-", "");
      String capital = name.substring(0, 1).toUpperCase() + name.substring(1);
      Platform platform = (Platform) Class.forName("science.atlarge.graphalytics." + name + "." + capital + "Platform").newInstance();
      platform.verifySetup();
      platform.deleteGraph(null);
      LoadedGraph loaded = platform.loadGraph(new FormattedGraph(words[0]));
      RunSpecification specification = new RunSpecification(new BenchmarkRun(loaded.getFormattedGraph()));
      platform.prepare(specification);
      platform.startup(specification);
      platform.run(specification);
      System.out.println("T_proc " + platform.finalize(specification).getProcessingTime());
      platform.deleteGraph(loaded);
      System.out.println("platform " + platform.getPlatformName());
    } }`,
};

/** Writes their sources; returns the files. */
export function writeCoreStubs(folder: string): readonly string[] {
  return Object.entries(CLASSES).map(([name, body]) => {
    const words = `science.atlarge.graphalytics.${name}`.split('.');
    const path = `${join(folder, ...words)}.java`;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `package ${words.slice(0, -1).join('.')};\n${body}\n`);
    return path;
  });
}
