// npm run bench -- modeling|calibration|grade10|throttle|graph500: runs the benches named, all without a name.
const BENCHES = ['modeling', 'calibration', 'grade10', 'throttle', 'graph500'];
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !BENCHES.includes(name));
if (unknown !== undefined) throw new Error(`there is no bench '${unknown}': ${BENCHES.join(', ')}`);
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  console.log(`# ${name}`);
  await import(`./${name}.js`);
}
