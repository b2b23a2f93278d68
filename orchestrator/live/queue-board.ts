import { join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { projectRoot } from '../../base/paths.ts';
import { cellName } from '../../experiments/cell-name.ts';
import { cellSchema } from '../../experiments/records.ts';
import { FleetServer } from '../fleet/fleet-server.ts';
import { type GuardedServer, type ListenAddress, startGuardedServer } from './guarded-server.ts';

/** Its page asks below its own address, where the token is. Scripts and styles come from there alone. */
const BELOW = '/queue';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; frame-ancestors 'none'";

/**
 * Serves Bull Board (https://github.com/felixmosh/bull-board) on the queues of predict in a Redis, to be read only: nothing but GET is
 * answered. Errors: `badInput` where it cannot listen, `infrastructure` without the Redis.
 */
export async function startQueueBoard(redis: string, address: ListenAddress, flag: string): Promise<GuardedServer> {
  let server = await FleetServer.open(redis);
  const board = new HonoAdapter(serveStatic);
  const page = join(projectRoot(), 'dist', 'program', 'queue-board');
  const { replaceQueues } = createBullBoard({
    ...{ queues: [], serverAdapter: board },
    options: { uiBasePath: page, uiConfig: { boardTitle: 'predict' } },
  });
  /** Queues come and go with campaigns, and servers too. */
  const refresh = async (): Promise<void> => {
    if (server.isLost) {
      await server.close();
      server = await FleetServer.open(redis);
    }
    replaceQueues((await server.queueNames()).map((name) => readOnly(server, name)));
  };
  await refresh();
  return await startGuardedServer(address, {
    ...{ flag, below: BELOW, onClose: () => server.close() },
    mount: (app, token) => {
      app.use(async (c, next) => {
        c.header('content-security-policy', POLICY);
        if (c.req.path.endsWith('/api/queues')) await refresh();
        return await next();
      });
      const path = `${BELOW}/${token}`;
      app.route(path, board.setBasePath(path).registerPlugin());
    },
  });
}

/** A queue whose cells are named as people do. */
function readOnly(server: FleetServer, name: string): BullMQAdapter {
  const adapter = new BullMQAdapter(server.queue(name), { readOnlyMode: true });
  adapter.setFormatter('name', (job: { readonly name: string; readonly data?: unknown }) => {
    const cell = cellSchema.safeParse(job.data).data;
    return cell === undefined ? job.name : cellName(cell);
  });
  return adapter;
}
