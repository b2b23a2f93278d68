import { createHash } from 'node:crypto';

/** JSON with sorted keys, no spaces and no undefined members: equal data gives equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The SHA-256 of the canonical JSON in hex digits: a digest that survives key order and spaces. */
export function contentDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** The first 16 digits of the content's digest: an identity that survives restarts. */
export function contentHash(value: unknown): string {
  return contentDigest(value).slice(0, 16);
}
