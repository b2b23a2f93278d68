import { request } from 'node:http';

/** A viewer of a live page as a browser is one. */
export interface Stream {
  readonly status: number;
  /** All that has come. */
  readonly text: () => string;
  /** Resolves once what has come holds this; rejects where the stream ends before. */
  readonly has: (wanted: string) => Promise<void>;
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** Opens the stream of a page by its link. */
export async function openStream(link: string): Promise<Stream> {
  return await new Promise((resolve, reject) => {
    const asked = request(link.replace('/?', '/events?'), (answer) => {
      let text = '';
      const waiting = new Set<() => void>();
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        for (const look of waiting) look();
      });
      const ended = new Promise<void>((done) => answer.on('close', done));
      const has = (wanted: string): Promise<void> =>
        new Promise((found, lost) => {
          const look = (): void => {
            if (!text.includes(wanted)) return;
            waiting.delete(look);
            found();
          };
          waiting.add(look);
          look();
          void ended.then(() => lost(new Error(`the stream ended without ${wanted}`)));
        });
      resolve({ status: answer.statusCode ?? 0, text: () => text, has, ended, close: () => asked.destroy() });
    });
    asked.on('error', reject).end();
  });
}
