import { describe, expect, it } from 'vitest';
import { AGENT, lacksSystemd, useSystemdHost } from './systemd-host.ts';

const lacking = lacksSystemd();

describe.skipIf(lacking !== null)(
  `the timer of a lease under systemd${lacking ? ` (skipped: ${lacking})` : ''}`,
  () => {
    const host = useSystemdHost();
    let devices = 0;

    /** Runs a script with a new interface, up, as $if, and the shell's own words for what the tests ask. */
    const run = async (script: string) => {
      devices += 1;
      const [name, n] = [`d${devices}`, devices];
      const { stdout, stderr } = await host.sh(
        [
          `if=${name}; ip link add $if type veth peer name q${n}; ip link set $if up; ip link set q${n} up`,
          `state=/run/predict/throttle-$if`,
          `link() { verb=$1; shift; ${AGENT} link $verb --interface $if "$@"; }`,
          `set_link() { link set --rate 20000000 --burst 18168 --owner ann --lease "$1"; }`,
          'free() { ! tc qdisc show dev $if | grep -qE "7077:|ingress"; }',
          'over() { free && [ ! -e $state/deadline ]; }',
          'units() { ls /run/systemd/transient 2>/dev/null | grep ^predict; }',
          'no_units() { ! units >/dev/null; }',
          'ours() { pgrep -f "^/programs/predict-agent"; }',
          // Every process of predict on this host, and the one that a keeper may have started meanwhile.
          'kill_all() { while killed=$(ours); do kill -9 $killed 2>/dev/null; done; }',
          script,
        ].join('\n'),
      );
      return { lines: stdout.split('\n'), stderr };
    };

    it('restores the link when all of ours is killed at once, and again what systemd then starts', async () => {
      const { lines, stderr } = await run(
        [
          'set_link 12 | grep -E "^@(state|keeper|timer)"; deadline=$(cat $state/deadline)',
          'ours | wc -l; kill_all; free || echo throttled',
          // Its service has to wait for the lock, so that it is there to be killed.
          'exec 8<>$state/lock; flock 8; until_true pgrep -f "^/programs/predict-agent link expire" >/dev/null; free || echo "throttled still"',
          'kill_all; exec 8>&-; until_true over',
          'echo "after $(($(cut -d . -f 1 /proc/uptime) - $(echo $deadline | cut -d . -f 1))) s"',
          'test -s $state/expired && echo marked; sed "s/.*pid [0-9]*: //" $state/release.log',
          'until_true no_units && echo "no unit"; ip -o link | grep -c predict',
        ].join('\n'),
      );
      expect(stderr).toBe('');
      expect(lines).toEqual([
        ...['@state ours', '@keeper running', '@timer armed', '2', 'throttled', 'throttled still'],
        expect.stringMatching(/^after \d+ s$/),
        ...['marked', "systemd's timer: the link is restored", 'no unit', '0'],
      ]);
    });

    it('follows a renewed lease, for which nothing is started before the first one would be over', async () => {
      const { lines, stderr } = await run(
        [
          'set_link 6 >/dev/null; before=$(units); link renew --lease 12 >/dev/null; [ "$(units)" = "$before" ] && echo same',
          'kill_all; first=$(cut -d " " -f 1 $state/timer)',
          'until_true sh -c "! grep -q $first $state/timer"; free || echo "throttled after the first"; units | grep -c timer',
          'until_true over; test -s $state/expired && echo marked; until_true no_units && echo "no unit"',
        ].join('\n'),
      );
      // What ip says where others change links meanwhile; what it is asked for is asked again.
      const said = stderr.replaceAll(/^Dump was interrupted and may be inconsistent\.\n?/gm, '');
      expect([lines, said]).toEqual([['same', 'throttled after the first', '1', 'marked', 'no unit'], '']);
    });

    it('comes sooner for a lease that was made shorter', async () => {
      const { lines } = await run(
        'set_link 600 >/dev/null; set_link 6 >/dev/null; units | grep -c timer; kill_all; until_true over && echo free; until_true no_units && echo "no unit"',
      );
      expect(lines).toEqual(['1', 'free', 'no unit']);
    });

    it('is stopped when the link is cleared', async () => {
      const { lines } = await run(
        'set_link 600 >/dev/null; units | grep -c timer; link clear | grep -E "^@(state|timer)"; until_true no_units && echo "no unit"; ls /run/predict | grep -c throttle-$if',
      );
      expect(lines).toEqual(['1', '@state free', '@timer none', 'no unit', '0']);
    });

    it('does nothing once keepers have restored the link, and none is left', async () => {
      const { lines } = await run(
        'set_link 1 >/dev/null; until_true over; cat $state/release.log | sed "s/.*pid [0-9]*: //"; until_true no_units && echo "no unit"',
      );
      expect(lines).toEqual(['the lease ran out: the link is restored', 'no unit']);
    });

    it('is said to be missing where it cannot be armed, and the link is throttled all the same', async () => {
      const { lines, stderr } = await run(
        [
          'cp /usr/bin/systemd-run /run/real; printf \'#!/bin/sh\\ncase "$*" in *on-active*) echo "no timers here" >&2; exit 1;; esac; exec /run/real "$@"\\n\' >/run/fake; chmod 755 /run/fake',
          'mount --bind /run/fake /usr/bin/systemd-run; set_link 600 | grep -E "^@(state|keeper|timer)"; umount /usr/bin/systemd-run',
          'link renew --lease 600 | grep ^@timer; link clear >/dev/null',
        ].join('\n'),
      );
      expect(lines).toEqual(['@state ours', '@keeper running', '@timer none', '@timer armed']);
      expect(stderr).toBe(
        `predict-agent link: systemd has no timer for the lease of d${devices} (no timers here); only its watchdogs will restore the link`,
      );
    });

    it('of a link that was let go, and of one whose lease runs, changes nothing', async () => {
      const { lines } = await run(
        'link expire; echo "code $?"; set_link 600 >/dev/null; link expire; echo "code $?"; free || echo throttled; units | grep -c timer; link clear >/dev/null; link expire --network 10.0.0.0/24; echo "code $?"',
      );
      expect(lines).toEqual(['code 0', 'code 0', 'throttled', '1', 'code 2']);
    });

    it('is what the facts of the host tell beforehand', async () => {
      expect(JSON.parse((await host.sh(`${AGENT} facts`)).stdout)).toMatchObject({ systemd: true });
    });
  },
);
