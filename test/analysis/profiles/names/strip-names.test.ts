import { expect, test } from 'vitest';
import { parseStrip } from '../../../../analysis/profiles/formats/strip-names.ts';

const all = parseStrip('tid,offset,jit');

test.each([
  ['[main tid=4321]', '[main]', null],
  ['[tid=4321]', '[thread]', null],
  ['worker[17]', 'worker', null],
  ['worker [17]', 'worker', null],
  ['burn-40/41', 'burn', null],
  ['thread (0x7F3A00112233)', 'thread', null],
  ['leaf+0x1f', 'leaf', null],
  ['leaf+0x1f/0x40', 'leaf', null],
  ['leaf+0x1f (/usr/lib/libm.so)', 'leaf (/usr/lib/libm.so)', null],
  ['leaf<0000000000001139>', 'leaf', null],
  ['std::vector<int>', 'std::vector<int>', null],
  ['0x7f00aa', '[unknown]', null],
  ['java/lang/String.hashCode_[j]', 'java/lang/String.hashCode', 'jit'],
  ['Main.f_[0]', 'Main.f', 'interpreted'],
  ['Main.f_[1]', 'Main.f', 'c1'],
  ['Main.f_[i]', 'Main.f', 'inlined'],
  ['schedule_[k]', 'schedule', 'kernel'],
  ['JS:*fib /a.js:1:14', 'JS:fib /a.js:1:14', 'jit'],
  ['LazyCompile:~fib /a.js:1', 'LazyCompile:fib /a.js:1', 'interpreted'],
  ['std::vector<int, std::allocator<int>>::at', 'std::vector<int, std::allocator<int>>::at', null],
  ['operator+', 'operator+', null],
  ['a[i]', 'a[i]', null],
  ['[17]', '[17]', null],
])('%s is %s, compiled as %s', (frame, name, mode) => {
  expect(all?.(frame)).toEqual({ name, mode });
});

test('only what is named is stripped', () => {
  expect(parseStrip('offset')?.('f+0x1_[j]')).toEqual({ name: 'f+0x1_[j]', mode: null });
  expect(parseStrip('jit')?.('f+0x1_[j]')).toEqual({ name: 'f+0x1', mode: 'jit' });
  expect(parseStrip(undefined)).toBe(null);
  expect(() => parseStrip('tid,lines')).toThrow("--strip: 'lines' is not one of tid, offset, jit.");
});
