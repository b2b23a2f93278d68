import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { appendEvents, type SweepEvent, type SweepNews } from '../experiments/store/campaign-events.ts';

/**
 * Stamps what happens in a sweep, keeps it in the campaign's events.jsonl and hands it on. Before the sweep has begun only
 * notes are handed on, and nothing is kept. A file that cannot be written is said once, as a note, and costs nothing else.
 */
export function announcer(dir: string, onEvent: (event: SweepEvent) => void): (news: SweepNews) => void {
  const append = appendEvents(dir);
  let begun = false;
  let failed = false;
  return (news) => {
    begun ||= news.kind === 'sweep-begun';
    if (!begun && news.kind !== 'note') return;
    const event: SweepEvent = { ...news, at: new Date().toISOString() };
    onEvent(event);
    if (!begun) return;
    try {
      append(event);
    } catch (error) {
      if (failed) return;
      failed = true;
      const text = `events cannot be written to ${join(dir, 'events.jsonl')} (${messageOf(error)}); the sweep continues.`;
      onEvent({ kind: 'note', at: event.at, text });
    }
  };
}
