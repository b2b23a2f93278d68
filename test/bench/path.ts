// Timings of critical paths.
await import('./path/graph.js');
