import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, isIP } from 'node:net';
import { hostname } from 'node:os';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { badInput, messageOf } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { LIVE_POLICY } from '../../report/live/render-live.ts';

export interface ListenAddress {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  /** 0 is any free one. */
  readonly port: number;
}

const LOOPBACK: ListenAddress = { host: '127.0.0.1', port: 0 };

/** `ADDRESS[:PORT]`, IPv6 in brackets where a port follows; without a text this machine alone, on any free port. Errors: `badInput`. */
export function parseListen(text: string | undefined, flag: string): ListenAddress {
  if (text === undefined) return LOOPBACK;
  const [, inBrackets, name, port = '0'] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = inBrackets ?? name ?? (isIP(text) === 6 ? text : undefined);
  if (host !== undefined && !/^\d+$/.test(host) && Number(port) <= 65_535) return { host, port: Number(port) };
  throw badInput(
    `${flag}: '${shortened(text)}' is not an address: write ADDRESS or ADDRESS:PORT, such as 0.0.0.0:8080.`,
  );
}

export interface GuardedServer {
  /** With the token that opens it. */
  readonly link: string;
  /** Whether others than this machine may reach it. */
  readonly isOpen: boolean;
  close(): Promise<void>;
}

type GuardedApp = Hono<{ Bindings: HttpBindings }>;

interface GuardOptions {
  readonly flag: string;
  /** Adds what is served. */
  readonly mount: (app: GuardedApp, token: string) => void;
  /** Where links have the token: in the query by default, or as the last folder of this path, for pages that ask for more below it. */
  readonly below?: string;
  /** What ends before connections do. */
  readonly onClose: () => void | Promise<void>;
}

/** What connections have to take the last message, once the server ends. */
const GOODBYE_MS = 500;

/**
 * Serves what is mounted, by GET alone, and nothing without the token that its link has. Errors: `badInput` where it cannot listen.
 */
export async function startGuardedServer({ host, port }: ListenAddress, options: GuardOptions): Promise<GuardedServer> {
  const { flag, below, onClose } = options;
  const token = randomBytes(24).toString('base64url');
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(host);
  const app = guardedApp(options, { token, isLocal });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw badInput(`${flag}: ${host}:${port} cannot be listened on (${messageOf(error)}): choose another one.`, error);
  }
  // A fault of one connection is its own.
  server.on('error', () => undefined);
  const { port: bound } = server.address() as AddressInfo;
  const shown = ['0.0.0.0', '::'].includes(host) ? hostname() : host;
  const path = below === undefined ? `/?token=${token}` : `${below}/${token}`;
  return {
    link: `http://${isIP(shown) === 6 ? `[${shown}]` : shown}:${bound}${path}`,
    isOpen: !isLocal,
    close: async () => {
      await onClose();
      const closed = once(server, 'close');
      server.close();
      const timer = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), GOODBYE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

export const HEAD = {
  'content-security-policy': `${LIVE_POLICY}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

function guardedApp(
  { mount, below }: GuardOptions,
  { token, isLocal }: { readonly token: string; readonly isLocal: boolean },
): GuardedApp {
  const app: GuardedApp = new Hono();
  const given = (path: string): string =>
    path.startsWith(`${below}/`) ? (path.slice(`${below}/`.length).split('/')[0] ?? '') : '';
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(HEAD)) c.header(name, value);
    const isOurs = !isLocal || isLoopbackName(c.req.header('host') ?? '');
    // Browsers ask for it by themselves, and complain where it is forbidden.
    if (isOurs && c.req.path === '/favicon.ico') return c.body(null, 204);
    const asked = below === undefined ? (c.req.query('token') ?? '') : given(c.req.path);
    if (!isOurs || !isSame(asked, token)) return c.text('Forbidden\n', 403);
    if (c.req.raw.method !== 'GET') return c.text('Only GET is answered.\n', 405);
    return await next();
  });
  mount(app, token);
  app.notFound((c) => c.text('Not found\n', 404));
  app.onError((error, c) => c.text(`${messageOf(error)}\n`, 500));
  return app;
}

/** A page of others whose name was made to point here asks by that name (DNS rebinding). */
function isLoopbackName(host: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host);
}

/** Takes as long for any text. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
