import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type GuardedServer, HEAD, type ListenAddress, startGuardedServer } from './guarded-server.ts';
import type { LiveFeed } from './live-feed.ts';

/** Of a report, which has a style of its own and no script. */
const REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Serves a live page, its stream of events and, where `report` makes one, the report: nothing else, and nothing without the token that
 * its link has. Errors: `badInput` where it cannot listen.
 */
export function startLiveServer(
  feed: LiveFeed,
  address: ListenAddress,
  { flag, report }: { readonly flag: string; readonly report: (() => Promise<string>) | null },
): Promise<GuardedServer> {
  let making: Promise<string> | undefined;
  return startGuardedServer(address, {
    flag,
    onClose: () => feed.end(),
    mount: (app) => {
      app.get('/', (c) => c.html(feed.page()));
      app.get('/events', (c) => {
        feed.watch(c.env.outgoing as ServerResponse, HEAD);
        return RESPONSE_ALREADY_SENT;
      });
      app.get('/report', async (c) => {
        if (report === null || feed.isRunning)
          return c.text(
            'A sweep is running, and a report would disturb it: it is made once the sweep has ended.\n',
            409,
          );
        making ??= report().finally(() => {
          making = undefined;
        });
        const page = await making;
        c.header('content-security-policy', REPORT_POLICY);
        return c.html(page);
      });
    },
  });
}
