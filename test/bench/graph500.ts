// Our BFS on one rank, scale 18, 64 validated searches, against the figure of the Graph500 3.0 reference.
//   npm run bench -- graph500
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';

/** Harmonic mean TEPS of the reference, one rank, scale 18, measured on a machine of this kind. */
const REFERENCE_TEPS = 5.1e7;

const { graph500 } = await buildHostPrograms();
const env = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
for (const scale of [16, 18, 20]) {
  const { stdout, stderr } = await execa('mpirun', ['-np', '1', graph500, '--scale', String(scale)], { env });
  const result = parseGraph500([stdout, stderr], { exitCode: 0 });
  const teps = result.summary?.bfs.harmonicMeanTeps ?? Number.NaN;
  const ratio = scale === 18 ? `, ${(teps / REFERENCE_TEPS).toFixed(1)} times the reference` : '';
  console.log(
    `scale ${scale}: ${teps.toExponential(2)} TEPS harmonic mean, ${result.searches.length} searches, valid ${result.valid}, validated ${result.validated}${ratio}`,
  );
}
