// Timings of critical paths.
await import('./path/graph.js');
await import('./path/timely.js');
