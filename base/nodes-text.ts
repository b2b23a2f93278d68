/** `1 node`, `4 nodes`. */
export function nodesText(nodes: number): string {
  return `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
}
