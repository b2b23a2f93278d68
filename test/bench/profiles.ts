// Timings of profiles of call stacks.
await import('./profiles/import.js');
await import('./profiles/questions.js');
await import('./profiles/large.js');
