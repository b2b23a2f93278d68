/** What a program keeps per edge in memory, and how many edges a graph has. */
interface MemoryNeed {
  readonly scale: number;
  /** Edges per vertex. */
  readonly edgeFactor: number;
  readonly bytesPerEdge: number;
}

/** edgeFactor * 2^scale * bytesPerEdge, bytes over all nodes. */
export function graphBytes({ scale, edgeFactor, bytesPerEdge }: MemoryNeed): number {
  return edgeFactor * 2 ** scale * bytesPerEdge;
}

/** The fewest nodes whose memory (bytes each) holds the graph, were it spread evenly. */
export function nodesForMemory(need: MemoryNeed, bytesPerNode: number): number {
  return Math.max(1, Math.ceil(graphBytes(need) / bytesPerNode));
}
