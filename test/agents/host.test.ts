import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';

describe.skipIf(process.getuid?.() !== 0)('predict-agent (needs root for its network namespaces)', () => {
  it('holds to every fact of its own checks', async () => {
    const { agent } = await buildHostPrograms();
    const script = join(projectRoot(), 'agents', 'host', 'check.sh');
    const result = await execa('sh', [script, dirname(agent)], { reject: false, timeout: 300_000 });
    expect(result.stdout).toMatch(/^\d\d+ facts checked, 0 not so$/m);
    expect(result.exitCode).toBe(0);
  });

  it('guard ends its command when the controller is gone, and passes its exit code on otherwise', async () => {
    const { agent } = await buildHostPrograms();
    const kept = execa(agent, ['guard', '--', 'sh', '-c', 'exit 7'], { reject: false });
    expect((await kept).exitCode).toBe(7);
    const left = execa(
      agent,
      ['guard', '--grace', '1', '--', 'sh', '-c', 'trap "" TERM; echo ready; sleep 900; sleep 900'],
      {
        reject: false,
        timeout: 300_000,
      },
    );
    await once(left.stdout, 'data');
    left.stdin?.end();
    // 128 + SIGKILL: TERM was ignored.
    expect((await left).exitCode).toBe(137);
  });
});
