/**
 * squeue's `%L`, the time left of a job: [days-]hours:minutes:seconds or minutes:seconds, in seconds. Infinity for a job without
 * a limit, 0 for one past it, null for what is none (NOT_SET, or no text of squeue's).
 */
export function parseTimeLeft(text: string): number | null {
  const word = text.trim();
  if (word === 'UNLIMITED') return Number.POSITIVE_INFINITY;
  if (word === 'INVALID') return 0;
  const parts = /^(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,2})$/.exec(word);
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}
