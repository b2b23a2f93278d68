import { endsText, formatBytes, trimNumber } from '../../../base/units.ts';
import type { Ranged } from '../advice/interval.ts';
import type { WorkUnit } from '../job/work.ts';

/** Work of a job per second: 2.78/s of records, 20 MiB/s of bytes. */
export function rateText(rate: number, unit: WorkUnit | null): string {
  return unit === 'bytes' ? `${formatBytes(rate)}/s` : `${trimNumber(rate)}/s`;
}

/** Work of a job: 4000 records, 40 GiB. */
export function amountText(amount: number, unit: WorkUnit | null): string {
  return unit === 'bytes' ? formatBytes(amount) : `${Math.round(amount)} records`;
}

/** A number with the ends of its interval, whose level a note or a head names; a question mark where nothing is known. */
export function rangedText(ranged: Ranged | null, text: (value: number) => string): string {
  if (ranged === null) return '?';
  const { value, low, high } = ranged;
  return low === null || high === null ? text(value) : `${text(value)} (${endsText({ low, high }, text)})`;
}
