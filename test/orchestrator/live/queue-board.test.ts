import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseListen } from '../../../orchestrator/live/guarded-server.ts';
import { startQueueBoard } from '../../../orchestrator/live/queue-board.ts';
import { startPrivateRedis } from '../../../orchestrator/queue/redis.ts';
import { FakeWorld, solve } from '../fake/world.ts';
import { ALLOWS, follow, work } from '../fleet/fleet.ts';
import { noRedis } from '../queue/cells.ts';

interface Answered {
  readonly status: number;
  readonly text: string;
}

function ask(link: string, options: { readonly method?: string; readonly host?: string } = {}): Promise<Answered> {
  const { method = 'GET', host } = options;
  return new Promise((resolve, reject) => {
    request(link, { method, headers: host === undefined ? {} : { host }, agent: false }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, text: (await answer.toArray()).join('') });
    })
      .on('error', reject)
      .end();
  });
}

describe.skipIf(noRedis)('the board of queues (needs redis-server)', () => {
  it('shows the cells of a campaign, to be read only, and nothing without its token', async () => {
    const { socket, stop } = await startPrivateRedis();
    onTestFinished(stop);
    const world = new FakeWorld(2, ALLOWS);
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      world.program = async (launched) => {
        resolve();
        await gate;
        return await solve(launched);
      };
    });
    const board = await startQueueBoard(socket, parseListen(undefined, '--listen'), '--listen');
    onTestFinished(board.close);
    const owner = follow(socket);
    work(socket, { world });
    await reached;

    const { text } = await ask(`${board.link}/api/queues?activeQueue=&page=1&jobsPerPage=10`);
    const { queues } = JSON.parse(text) as { queues: { name: string; readOnlyMode: boolean; counts: object }[] };
    expect(queues.map(({ name }) => name.replace(/[0-9a-f]{16}/, 'KEY').replace(/site-a-1-.*/, 'WORKER'))).toEqual([
      ...['predict-asks-WORKER', 'predict-cells-KEY-site-a-2', 'predict-fleet'],
    ]);
    expect(queues[1]).toMatchObject({ readOnlyMode: true, counts: { active: 1, prioritized: 3 } });
    const cells = `${board.link}/api/queues?activeQueue=${queues[1]?.name}&status=active&page=1&jobsPerPage=10`;
    expect((await ask(cells)).text).toContain('"name":"2 nodes, scale 12, 100 %');

    const page = await ask(board.link);
    expect(page.text).toContain(`<base href="${new URL(board.link).pathname}/"`);
    const [script = ''] = /static\/js\/main\.\w+\.js/.exec(page.text) ?? [];
    expect(await ask(`${board.link}/${script}`)).toMatchObject({ status: 200 });
    expect(await ask(`${board.link}/api/queues/${queues[1]?.name}/pause`, { method: 'PUT' })).toMatchObject({
      status: 405,
    });
    const stranger = board.link.replace(/\/queue\/.{4}/, '/queue/AAAA');
    for (const link of [stranger, `${stranger}/api/queues`, new URL('/', board.link).href]) {
      expect(await ask(link)).toMatchObject({ status: 403 });
    }
    expect(await ask(board.link, { host: 'evil.example' })).toMatchObject({ status: 403 });
    letGo();
    expect(await owner.result).toMatchObject([{ done: 4 }]);
  });
});
