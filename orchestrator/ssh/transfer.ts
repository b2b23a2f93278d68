import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { unpacked } from '../../base/unpack.ts';
import { type CommandResult, type Executor, hostFault } from '../hosts/executor.ts';

/** What is fetched is held in memory. */
const MOST_MIB = 256;
/** Bytes of one step; a multiple of three, so that base64 needs no filling within a file. */
const STEP_BYTES = 3 * 2 ** 22;
/** Exit code of READ where there is no such file. */
const ABSENT = 44;
/** Characters of what READ says first. */
const LONGEST_WORD = 8;

const BEGIN = sh`umask 022; : > "$1"`;
const APPEND = sh`base64 -d >> "$1"`;
const FINISH = sh`chmod 755 -- "$1" && mv -f -- "$1" "$2"`;
/** Some files are longer than they say. Packed, because texts are long and links are slow. */
const READ = sh`[ -e "$1" ] || exit 44; exec < "$1" || exit
if command -v gzip > /dev/null; then echo gzip; head -c "$2" | gzip -1 | base64; else echo plain; head -c "$2" | base64; fi`;

/** A host's connection, and how long one step of a transfer may take. */
type TransferSession = Pick<Executor, 'host' | 'exec'> & { readonly transferMs: number };

/**
 * Copies a local file to the host as an executable, renamed into place: a program that is running keeps its old file. It goes through
 * commands, as base64, since not every sshd offers SFTP.
 */
export async function sendFile(session: TransferSession, path: string, remote: string): Promise<void> {
  const fresh = `${remote}.new-${randomUUID()}`;
  const step = async (words: readonly string[], input = ''): Promise<void> => {
    const result = await session.exec(words, { input, timeoutMs: session.transferMs });
    if (result.exitCode !== 0) throw failed(session, remote, result);
  };
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(STEP_BYTES);
    await step(scriptWords(BEGIN, fresh));
    for (;;) {
      const bytes = await fill(file, buffer);
      if (bytes > 0) await step(scriptWords(APPEND, fresh), buffer.toString('base64', 0, bytes));
      if (bytes < STEP_BYTES) break;
    }
    await step(scriptWords(FINISH, fresh, remote));
  } catch (error) {
    await session.exec(['rm', '-f', '--', fresh]).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

/** The content of a file on the host; null when there is none. */
export async function fetchFile(
  session: TransferSession,
  path: string,
  { mostMib = MOST_MIB } = {},
): Promise<Buffer | null> {
  const mostBytes = mostMib * 2 ** 20;
  const pieces: Buffer[] = [];
  let [rest, bytes, packing] = ['', 0, ''];
  const onStdout = (text: string): void => {
    rest += text;
    const end = packing === '' ? rest.indexOf('\n') : 0;
    if (end < 0) rest = rest.slice(-LONGEST_WORD);
    if (end < 0) return;
    if (packing === '') [packing, rest] = [rest.slice(0, end), rest.slice(end)];
    rest = rest.replaceAll('\n', '');
    const whole = rest.length - (rest.length % 4);
    const piece = Buffer.from(rest.slice(0, whole), 'base64');
    bytes += piece.length;
    // A host may send more than it is asked for.
    if (bytes <= mostBytes) pieces.push(piece);
    rest = rest.slice(whole);
  };
  const result = await session.exec(scriptWords(READ, path, String(mostBytes + 1)), {
    onStdout,
    endBytes: 4096,
    timeoutMs: session.transferMs,
  });
  if (result.exitCode === ABSENT) return null;
  if (result.exitCode !== 0) throw failed(session, path, result);
  const content =
    bytes > mostBytes
      ? null
      : Buffer.concat(packing === 'gzip' ? await unpack(session, path, { pieces, mostBytes }) : pieces);
  if (content !== null && content.length <= mostBytes) return content;
  throw failed(session, path, { ...result, stderr: `it is larger than ${mostMib} MiB` });
}

/** At most a byte more than may be. */
async function unpack(
  session: TransferSession,
  path: string,
  { pieces, mostBytes }: { readonly pieces: readonly Buffer[]; readonly mostBytes: number },
): Promise<Buffer[]> {
  const open: Buffer[] = [];
  try {
    for await (const piece of unpacked(pieces, { path, most: mostBytes + 1 })) open.push(piece);
  } catch (error) {
    throw failed(session, path, { stderr: messageOf(error), timedOut: false });
  }
  return open;
}

/** Reads until the buffer is full or the file ends; the bytes that were read. */
async function fill(file: Awaited<ReturnType<typeof open>>, buffer: Buffer): Promise<number> {
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, bytes, buffer.length - bytes);
    bytes += bytesRead;
    if (bytesRead === 0 || bytes === buffer.length) return bytes;
  }
}

function failed(
  session: TransferSession,
  path: string,
  { stderr, timedOut }: Pick<CommandResult, 'stderr' | 'timedOut'>,
) {
  const why = timedOut ? 'it took too long' : lastLines(stderr, 1);
  return hostFault(session.host, `${path} could not be transferred: ${why}.`);
}
