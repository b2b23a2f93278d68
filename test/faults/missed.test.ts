import { expect, it } from 'vitest';
import { hasMissed } from './inject.ts';

const blow = { to: 'somebody', at: 0, undo: async () => null };

it.each([
  ['struck', [blow], 0, false],
  ['never struck, though the command ended by itself', [null], 0, true],
  ['never struck anything', [null, null], null, true],
  ['ended the command before the second one', [blow, null], null, false],
  ['made the command refuse before the second one', [null, blow], 3, false],
  ['left the second one its time, which did not strike', [blow, null], 0, true],
])('a fault that %s: %j, exit %j', (_, blows, code, missed) => {
  expect(hasMissed(blows, { code })).toBe(missed);
});
