// Flink's REST API: https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/
import { z } from 'zod';
import { badInput, infrastructure, messageOf } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { within } from '../../waiting.ts';

/** `GET /jobs/overview`. */
const overviewSchema = z.object({
  jobs: z.array(z.object({ jid: z.string(), name: z.string().default(''), state: z.string().default('') })),
});

/** A longer answer is no answer of a job manager. */
const LONGEST_ANSWER = 64 * 2 ** 20;

/** The REST API of one job manager. */
export class FlinkRest {
  readonly #base: URL;
  readonly #timeoutMs: number;

  /** Errors: `badInput` for what is no address. */
  constructor(address: string, timeoutMs: number) {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw badInput(`--flink: '${shortened(address)}' is not an address: write for example http://host:8081.`);
    }
    this.#base = new URL(url.href.endsWith('/') ? url.href : `${url.href}/`);
    this.#timeoutMs = timeoutMs;
  }

  /** The address without what a password may stand in. */
  get where(): string {
    return `${this.#base.protocol}//${this.#base.host}${this.#base.pathname.replace(/\/$/, '')}`;
  }

  /** The one job that runs. Errors: `badInput` where there are several or none. */
  async onlyJob(signal: AbortSignal): Promise<string> {
    const { jobs } = await this.get('jobs/overview', overviewSchema, signal);
    const running = jobs.filter(({ state }) => state === 'RUNNING');
    const [job] = running;
    if (job !== undefined && running.length === 1) return job.jid;
    const list = (running.length > 0 ? running : jobs).map(({ jid, name, state }) => `${jid} (${name}, ${state})`);
    throw badInput(
      `${this.where} runs ${running.length} jobs: name one with --job.${list.length > 0 ? ` It knows ${list.slice(0, 10).join('; ')}.` : ''}`,
    );
  }

  /** An answer in the given shape. Errors: `infrastructure` where it does not come, `badInput` where there is no such thing. */
  async get<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const [status, text] = await this.#fetch(path, signal);
    if (status === 404) throw badInput(`${this.where} knows no ${path}: ${shortened(text, 200)}`);
    if (status !== 200)
      throw infrastructure(`${this.where} responds with ${status} to /${path}: ${shortened(text, 200)}`);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      throw infrastructure(`${this.where} does not respond with JSON to /${path} (${shortened(text)}).`, {
        cause: error,
      });
    }
    const read = schema.safeParse(json);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw infrastructure(
      `${this.where} does not respond like Flink to /${path} (${issue?.path.join('.')}: ${issue?.message}).`,
    );
  }

  async #fetch(path: string, signal: AbortSignal): Promise<readonly [number, string]> {
    const stop = new AbortController();
    const end = (): void => stop.abort();
    signal.addEventListener('abort', end, { once: true });
    // The timer is our own: an answer whose body drips goes on for ever under AbortSignal.timeout.
    const late = (): never => {
      throw new Error(`it took longer than ${this.#timeoutMs / 1000} s`);
    };
    try {
      return await within(this.#timeoutMs, this.#read(path, stop.signal), late);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const why = signal.aborted ? 'watching ended first' : messageOf(cause);
      throw infrastructure(`${this.where} does not respond: ${why}.`, { cause: error });
    } finally {
      signal.removeEventListener('abort', end);
      stop.abort();
    }
  }

  async #read(path: string, signal: AbortSignal): Promise<readonly [number, string]> {
    const response = await fetch(new URL(path, this.#base), { signal, redirect: 'error' });
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      signal.throwIfAborted();
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > LONGEST_ANSWER) throw new Error('the response is longer than 64 MiB');
    }
    return [response.status, Buffer.concat(pieces).toString('utf8')];
  }
}
