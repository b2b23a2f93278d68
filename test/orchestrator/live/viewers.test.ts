import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Viewers } from '../../../orchestrator/live/live-feed.ts';
import { openStream } from './streams.ts';

/** A server whose every answer is a stream. */
async function streaming(viewers: Viewers): Promise<{ readonly port: number; readonly link: string }> {
  const server = createServer((_, response) => viewers.add(response, '"first"', {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, link: `http://127.0.0.1:${port}/?token=x` };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a viewer that never reads is dropped, and others miss nothing', async () => {
  const viewers = new Viewers();
  const { port, link } = await streaming(viewers);
  const reader = await openStream(link);
  await reader.has('first');
  const deaf = connect(port, '127.0.0.1');
  deaf.pause().on('error', () => undefined);
  deaf.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n');
  while (viewers.count < 2) await turn();
  const long = 'x'.repeat(2 ** 18);
  let sent = 0;
  // What the kernel keeps for it is full after some megabytes.
  while (viewers.count === 2 && sent < 400) {
    sent += 1;
    viewers.send(`"${sent} ${long}"`);
    await reader.has(`data: "${sent} x`);
  }
  expect(viewers.count).toBe(1);
  viewers.send('"last"');
  await reader.has('"last"');
  viewers.end();
  await reader.ended;
  expect(reader.text().match(/data: "\d+ x/g)).toHaveLength(sent);
  expect(viewers.count).toBe(0);
  deaf.destroy();
});

test('there are so many viewers and no more', async () => {
  const viewers = new Viewers();
  const { link } = await streaming(viewers);
  const streams = await Promise.all(Array.from({ length: 64 }, () => openStream(link)));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await openStream(link)).status).toBe(503);
  for (const { close } of streams) close();
  while (viewers.count > 0) await turn();
});
