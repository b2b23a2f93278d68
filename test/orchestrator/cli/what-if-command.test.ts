import { expect, test } from 'vitest';
import { parseChange } from '../../../orchestrator/cli/path/what-if-command.ts';

test('a host that a cause names is mended as the typical one', () => {
  const causes = [
    { host: null, ratio: null },
    { host: 'node05', ratio: 2.5 },
  ];
  expect(parseChange('node05=mended', causes)).toEqual({ key: 'node05', factor: 0.4 });
  expect(parseChange('MPI_Recv transfer=0.5', causes)).toEqual({ key: 'MPI_Recv transfer', factor: 0.5 });
  expect(() => parseChange('node04=mended', causes)).toThrow('this run does not name node04 as a host that is slower');
  expect(() => parseChange('=2')).toThrow('write KEY=FACTOR');
});
