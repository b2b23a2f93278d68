import { expect, test } from 'vitest';
import { sameOfHosts } from '../../base/group-alike.ts';

const from = (hosts: readonly string[], text: string) => hosts.map((host) => ({ host, message: `${host}: ${text}` }));

test('what is said of several hosts is said once, with their names', () => {
  const said = [...from(['n1', 'n2'], 'no tc.'), ...from(['n3'], 'no sudo.'), ...from(['n4'], 'no tc.')];
  expect(sameOfHosts(said)).toEqual(['n1, n2 and n4: no tc.', 'n3: no sudo.']);
});

test('of many hosts the first four are named', () => {
  const hosts = Array.from({ length: 400 }, (_, index) => `n${index}`);
  expect(sameOfHosts(from(hosts, 'no tc.'))).toEqual(['n0, n1, n2, n3 and 396 more: no tc.']);
  expect(sameOfHosts(from(hosts.slice(0, 5), 'no tc.'))).toEqual(['n0, n1, n2, n3 and n4: no tc.']);
});

test('messages that do not begin with their host stay whole', () => {
  const said = [{ host: 'n1', message: 'n1 cannot be reached (10.0.0.1).' }, { message: 'no host.' }];
  expect(sameOfHosts(said)).toEqual(['n1 cannot be reached (10.0.0.1).', 'no host.']);
});
