// Commands on a channel that a test writes to: over a real one a gibibyte takes minutes.
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { expect, onTestFinished, test } from 'vitest';
import { type CommandOptions, MOST_OUTPUT_BYTES } from '../../../orchestrator/hosts/executor.ts';
import type { Connection } from '../../../orchestrator/ssh/connect.ts';
import { BOUNDS } from '../../../orchestrator/ssh/output.ts';
import { runCommand } from '../../../orchestrator/ssh/run-command.ts';
import { tempFolder } from '../../experiments/make.ts';

/** A command of group 4711; `stops` are the commands that were sent to end it. */
function started(options: CommandOptions) {
  const channel = Object.assign(new PassThrough(), { stderr: new PassThrough(), close: () => undefined });
  const stops: string[] = [];
  const client = { exec: (command: string) => void stops.push(command) };
  const connection = { client, whenLost: () => () => undefined, close: () => undefined };
  const done = runCommand(channel as unknown as ClientChannel, {
    ...{ host: 'n1', token: 'abc', connection: connection as unknown as Connection, bounds: BOUNDS },
    ...{ options: { timeoutMs: 900_000, ...options }, started: 0 },
  });
  onTestFinished(() => void channel.emit('close'));
  for (const stream of [channel, channel.stderr]) stream.emit('data', Buffer.from('predict-group abc 4711\n'));
  return { channel, stops, done };
}

const TERM = expect.stringMatching(/kill.*TERM.*4711/s);

test('a command may print as much as is allowed; with one byte more it is ended, and what follows is not kept', async () => {
  const { channel, stops, done } = started({ endBytes: 16 });
  const piece = Buffer.alloc(2 ** 26, 'x');
  for (let left = MOST_OUTPUT_BYTES; left > 0; left -= piece.length) channel.emit('data', piece);
  expect(stops).toEqual([]);
  channel.stderr.emit('data', Buffer.from('!'));
  expect(stops).toEqual([TERM]);
  channel.stderr.emit('data', Buffer.from('more'));
  channel.emit('exit', null, 'TERM');
  channel.emit('close');
  const result = await done;
  expect(result).toMatchObject({ printedTooMuch: true, timedOut: false, exitCode: null, signal: 'TERM', stderr: '!' });
  expect(stops).toHaveLength(1);
});

test('a command whose output cannot be kept is ended at once', async () => {
  const { channel, stops, done } = started({ endBytes: 2, outputFolder: join(tempFolder(), 'not-there') });
  for (const text of ['abc', 'def']) channel.emit('data', Buffer.from(text));
  expect(stops).toEqual([TERM]);
  channel.emit('close');
  await expect(done).rejects.toMatchObject({ kind: 'unwritable' });
});
