import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { privately } from './private-host.ts';

let agent = '';
beforeAll(async () => {
  ({ agent } = await buildHostPrograms());
});

/** $held is the holder's output; it ends when the fifo /run/end is closed. */
const HOLDER = [
  'mkfifo /run/end',
  'hold() { : > /run/held; "$agent" hold --token "$1" --owner "$2" < /run/end > /run/held 2>/run/said & holder=$!; exec 7>/run/end; until_true grep -q held /run/held; }',
].join('\n');
const run = (script: string) => privately(agent, `${HOLDER}\n${script}`);

describe.skipIf(process.getuid?.() !== 0)('predict-agent hold (needs root)', () => {
  it('says with its token that it holds, keeps others out and lets go when its input ends', async () => {
    const { stdout } = await run(
      [
        'hold 11112222 "anna, sweep 1"; cat /run/held',
        '"$agent" hold --token 33334444 --owner bob </dev/null 2>&1; echo "code $?"',
        'exec 7>&-; wait $holder; echo "ended $?"; wc -c < /run/predict/lock',
        '"$agent" hold --token 33334444 --owner bob </dev/null; echo "code $?"',
      ].join('\n'),
    );
    expect(stdout.split('\n')).toEqual([
      'held 11112222',
      'predict-agent hold: the lock /run/predict/lock is held by anna, sweep 1; wait for it to end, or end it',
      'code 3',
      'ended 0',
      '0',
      'held 33334444',
      'code 0',
    ]);
  });

  it('is free the moment its holder is killed', async () => {
    const { stdout } = await run(
      'hold 11112222 anna; kill -9 $holder; wait $holder 2>/dev/null; "$agent" hold --token 33334444 --owner bob </dev/null',
    );
    expect(stdout).toBe('held 33334444');
  });

  it('keeps its file from strangers, who can neither hold nor read it', async () => {
    const { stdout, stderr } = await run(
      [
        'hold 11112222 anna; stat -c "%u %a" /run/predict /run/predict/lock',
        'setpriv --reuid nobody --regid nogroup --clear-groups flock -n /run/predict/lock true || echo refused',
      ].join('\n'),
    );
    expect(stdout).toBe('0 755\n0 600\nrefused');
    expect(stderr).toContain('Permission denied');
  });

  it.each([
    ['a folder of a stranger', 'install -d -o nobody /run/predict', /\/run\/predict belongs to user 65534/],
    ['a folder that others may write', 'install -d -m 1777 /run/predict', /\/run\/predict is writable by others/],
    ['a folder that is a link', 'ln -s /var/lib /run/predict', /\/run\/predict is not a folder, or is a symlink/],
    [
      'a lock that is a link',
      'mkdir /run/predict; ln -s /run/target /run/predict/lock',
      /cannot open \/run\/predict\/lock/,
    ],
    ['a lock that is a fifo', 'mkdir /run/predict; mkfifo /run/predict/lock', /\/run\/predict\/lock is not a file/],
    [
      'a lock of a stranger',
      'mkdir /run/predict; : > /run/predict/lock; chown nobody /run/predict/lock',
      /belongs to user 65534/,
    ],
    [
      'a lock that others may write',
      'mkdir /run/predict; : > /run/predict/lock; chmod 666 /run/predict/lock',
      /writable by others/,
    ],
  ])('refuses %s', async (_, harm, why) => {
    const { stdout, stderr, exitCode } = await run(
      `${harm}; "$agent" hold --token 11112222 --owner anna </dev/null; code=$?; ls /run/target; exit $code`,
    );
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(why);
  });

  it('ends a holder with its own token, whose connection was lost, and takes its place', async () => {
    const { stdout } = await run(
      'hold 11112222 anna; "$agent" hold --token 11112222 --owner "anna again" </dev/null; wait $holder; echo "first ended $?"',
    );
    expect(stdout).toBe('held 11112222\nfirst ended 0');
  });

  it('ends none of another user, who has read the token in the list of processes', async () => {
    const { stdout, stderr } = await run(
      [
        'hold() { SUDO_UID=$1 "$agent" hold --token 11112222 --owner "user $1" </dev/null; echo "code $?"; }',
        'SUDO_UID=1000 "$agent" hold --token 11112222 --owner "user 1000" < /run/end > /run/held & holder=$!; exec 7>/run/end',
        'until_true grep -q held /run/held; hold 1001; kill -0 $holder && echo lives',
        'hold 1000; wait $holder; echo "first ended $?"; hold x',
      ].join('\n'),
    );
    expect(stdout.split('\n')).toEqual(['code 3', 'lives', 'held 11112222', 'code 0', 'first ended 0', 'code 1']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/is held by user 1000; wait/),
      expect.stringMatching(/SUDO_UID \("x"\) is not a user id/),
    ]);
  });

  it('that was stopped is ended too, and leaves no sudo behind, which stops with its command', async () => {
    const under = (token: string) =>
      `sudo -n "$agent" hold --token ${token} --owner anna < /run/end > /run/held & sudo=$!; exec 7>/run/end; until_true grep -q held /run/held; holder=$(pgrep -P $sudo)`;
    const stopped = 'kill -STOP $holder; until_true grep -q "(sudo) T" /proc/$sudo/stat';
    const { stdout, stderr } = await run(
      [
        `${under('11112222')}; ${stopped}`,
        '"$agent" hold --token 11112222 --owner "anna again" </dev/null; wait $sudo; echo "first ended $?"; exec 7>&-',
        `${under('33334444')}; ${stopped}`,
        'exec 7>&-; kill -CONT $holder; wait $sudo; echo "second ended $?"',
      ].join('\n'),
    );
    expect([stdout, stderr]).toEqual(['held 11112222\nfirst ended 0\nsecond ended 0', '']);
  });

  it('ends no stranger who has the number of a holder that was killed', async () => {
    const { stdout } = await run(
      [
        'sleep 15 & stranger=$!',
        'mkdir /run/predict; (umask 077; printf "%d 11112222 0\\nanna" $stranger > /run/predict/lock)',
        'flock /run/predict/lock sleep 15 & next=$!',
        'until_true sh -c "! flock -n /run/predict/lock true"',
        '"$agent" hold --token 11112222 --owner "anna again" </dev/null 2>/dev/null; echo "code $?"',
        'kill -0 $stranger && echo lives; pkill -P $next; kill $stranger $next 2>/dev/null',
      ].join('\n'),
    );
    expect(stdout).toBe('code 3\nlives');
  });

  describe('of a user other than root', () => {
    /** Strangers have 65534, the user 4711; /tmp is everybody's, as everywhere. */
    const asUser = (script: string) =>
      run(
        [
          'cp "$agent" /run/agent; mkdir -m 1777 /run/tmp; mkdir -p /run/user; install -d -o 4711 -m 755 /run/home',
          'as() { uid=$1; shift; setpriv --reuid $uid --regid $uid --clear-groups env HOME="$home" "$@"; }',
          'mount --bind /run/tmp /tmp; host=$(hostname); home=/run/home',
          'user_hold() { as 4711 /run/agent hold --token 11112222 --owner anna </dev/null; echo "code $?"; }',
          'holds_here() { exec 8<"$1"; (sleep 1 | as 4711 /run/agent hold --token 11112222 --owner anna >/run/held) & until_true grep -q held /run/held; flock -n 8 || echo "locked $1" | sed "s/$host/HOST/"; }',
          script,
        ].join('\n'),
      );

    it('lies in the folder that logind made for him, where he alone comes', async () => {
      const { stdout } = await asUser(
        'install -d -o 4711 -m 700 /run/user/4711; user_hold; stat -c "%u %a" /run/user/4711/predict /run/user/4711/predict/$host.lock; holds_here /run/user/4711/predict/$host.lock; ls -A /run/home /tmp',
      );
      expect(stdout.split('\n')).toEqual([
        ...['held 11112222', 'code 0', '4711 700', '4711 600', 'locked /run/user/4711/predict/HOST.lock'],
        ...['/run/home:', '', '/tmp:'],
      ]);
    });

    it.each([
      ['is not there', 'true'],
      ['is open to others', 'install -d -o 4711 -m 755 /run/user/4711'],
      ["is a stranger's", 'install -d -o 65534 -m 700 /run/user/4711'],
      ['is a link', 'ln -s /run/home /run/user/4711'],
      ['lies in a folder of a stranger', 'install -d -o 65534 /run/user; install -d -o 4711 -m 700 /run/user/4711'],
    ])('lies in his home where that folder %s', async (_, harm) => {
      const { stdout } = await asUser(
        `${harm}; user_hold; stat -c "%u %a" /run/home/.predict; ls -A /run/home/.predict | sed "s/$host/HOST/"`,
      );
      expect(stdout.split('\n')).toEqual(['held 11112222', 'code 0', '4711 700', 'HOST.lock']);
    });

    it('is not to be had first by a stranger, whatever he makes in /tmp', async () => {
      const { stdout } = await asUser('as 65534 mkdir -m 700 /tmp/predict-4711; user_hold');
      expect(stdout.split('\n')).toEqual(['held 11112222', 'code 0']);
    });

    it('goes through a work folder of his that is there already, and through his own link', async () => {
      const { stdout } = await asUser(
        'install -d -o 4711 -m 755 /run/home/.predict; user_hold; mv /run/home/.predict /run/home/other; as 4711 ln -s other /run/home/.predict; user_hold; ls /run/home/other | sed "s/$host/HOST/"',
      );
      expect(stdout.split('\n')).toEqual(['held 11112222', 'code 0', 'held 11112222', 'code 0', 'HOST.lock']);
    });

    it.each([
      [
        'a home that others may write',
        'chmod 777 /run/home',
        /\/run\/home is writable by others than root or user 4711/,
      ],
      ['a home of a stranger', 'chown 65534 /run/home', /\/run\/home belongs to user 65534/],
      ['a folder of root in it', 'mkdir /run/home/.predict', /\.predict is not user 4711's own/],
      [
        'a folder that a group may write',
        'install -d -o 4711 -m 775 /run/home/.predict',
        /\.predict is writable by others/,
      ],
      [
        'a home above which a stranger sits',
        'install -d -o 65534 /run/x; mv /run/home /run/x/home; home=/run/x/home',
        /\/run\/x belongs to user 65534/,
      ],
      ['a home that is not there', 'home=/run/none', /HOME \("\/run\/none"\) is not a folder/],
      ['a home that is no path', 'home=tmp', /HOME \("tmp"\) is not a folder/],
    ])('refuses %s', async (_, harm, why) => {
      const { stdout, stderr } = await asUser(`${harm}; user_hold; find /run /tmp -name '*.lock'`);
      expect(stdout).toBe('code 1');
      expect(stderr).toMatch(why);
    });

    it("keeps out that user's own controllers alone", async () => {
      const { stdout } = await asUser(
        '(sleep 2 | as 4711 /run/agent hold --token 11112222 --owner anna >/run/held) & until_true grep -q held /run/held; as 4711 /run/agent hold --token 33334444 --owner bob </dev/null 2>/dev/null; echo "code $?"; hold 55556666 root; cat /run/held',
      );
      expect(stdout.split('\n')).toEqual(['code 3', 'held 55556666']);
    });
  });

  it('shows the name of a holder without anything that moves a terminal', async () => {
    const name = '\\033[2J\\302\\233H\\233x\\177 na\\303\\257ve \\342\\202\\254 \\300\\257 \\355\\240\\200';
    const { stdout } = await run(
      `hold 11112222 "$(printf '${name}')"; "$agent" hold --token 33334444 --owner bob </dev/null 2>&1; tail -n 1 /run/predict/lock`,
    );
    const shown = ' [2J H?x  naïve € ?? ???';
    expect(stdout.split('\n')).toEqual([expect.stringContaining(`held by ${shown};`), shown]);
  });

  it('does what a line of link asks for, and nothing else, and goes on', async () => {
    const { stdout } = await run(
      [
        'hold 11112222 anna; tell() { printf "$1\\n" >&7; until_true sh -c "[ \\$(grep -c ^done /run/held) = $2 ]"; }',
        'tell "link\\tshow\\t--interface\\tlo" 1; tell "link\\tshow\\t--interface\\tno" 2; tell "link\\tset\\t--rate" 3',
        'tell "group\\tend\\t--run\\t11112222" 4; tell "" 5; tell "link $(printf %3000s x)" 6',
        'exec 7>&-; wait $holder; echo "ended $?"; grep -v "^|qdisc\\|^|@[a-hj-z]\\|^|$" /run/held; cat /run/said',
      ].join('\n'),
    );
    const refused = ['!predict-agent hold: a line of its input must be the words of link', 'done 2'];
    expect(stdout.split('\n')).toEqual([
      ...['ended 0', 'held 11112222', '|@interface lo', 'done 0'],
      ...['!predict-agent link: the interface no does not exist here', 'done 20'],
      ...['!predict-agent link: --rate came without its value; see predict-agent link --help', 'done 2'],
      ...[...refused, ...refused, ...refused],
    ]);
  });

  it.each([
    ['a short token', '--token 1111 --owner anna'],
    ['a token of other characters', '--token "1111 2222" --owner anna'],
    ['no owner', '--token 11112222'],
    ['a file of its own', '--token 11112222 --owner anna --lock /etc/shadow'],
  ])('refuses %s', async (_, args) => {
    expect((await run(`"$agent" hold ${args} </dev/null`)).exitCode).toBe(2);
  });
});
