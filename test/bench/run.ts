// npm run bench -- modeling|fits|truth|calibration|slowdowns|planner|grade10|campaign-size|same-answers|throttle|graph500|graphalytics|graphalytics-load|laws|path|path-cells|what-if|planted|profiling|trace|mpi-trace|profiles|profile-graph|dag|dag-watch|dag-lab|fleet: runs the benches named, all without a name.
const BENCHES = [
  'modeling',
  'fits',
  'truth',
  'calibration',
  'slowdowns',
  'planner',
  'grade10',
  'campaign-size',
  'same-answers',
  'throttle',
  'graph500',
  'graphalytics',
  'graphalytics-load',
  'laws',
  'path',
  'path-cells',
  'what-if',
  'planted',
  'profiling',
  'trace',
  'mpi-trace',
  'profiles',
  'profile-graph',
  'dag',
  'dag-watch',
  'dag-lab',
  'fleet',
];
// A bench's own flags come after its name.
const names = process.argv.slice(2);
const flag = names.findIndex((name) => name.startsWith('--'));
const wanted = flag < 0 ? names : names.slice(0, flag);
const unknown = wanted.find((name) => !BENCHES.includes(name));
if (unknown !== undefined) throw new Error(`there is no bench '${unknown}': ${BENCHES.join(', ')}`);
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  console.log(`# ${name}`);
  await import(`./${name}.js`);
}
