import { type BitsPerSecond, quote, type Seconds } from '../base/index.ts';
import { addTree, changeTree, HANDLE, IFB_PREFIX, redirectIngress } from './tree.ts';

/** Where on a host the data network is attached: an interface, or the one that has an address in a network. */
export interface DataLink {
  readonly interface: string | undefined;
  readonly network: string | undefined;
  readonly sshPort: number;
}

export interface Lease {
  /** Path of predict-agent on the host. */
  readonly agent: string;
  readonly seconds: Seconds;
  /** Who asks, for `throttle show` and for refusals. */
  readonly owner: string;
}

/** Exit codes of the host-side scripts. */
export const SCRIPT_EXIT = { noInterface: 20, foreign: 21, failed: 22, busy: 23, noPrivilege: 24, noTool: 25 } as const;

/**
 * Every script is one round trip: it finds the interface, does its work and prints what is on the link afterwards
 * (`readState` parses that). Run it as root with `sh -s`.
 */
export function showScript(link: DataLink): string {
  return [prologue(link), 'report'].join('\n');
}

/** Sets the rate in both directions, whatever the level before, under a lease that a keeper on the host enforces. */
export function setScript(link: DataLink, rateBps: BitsPerSecond, lease: Lease): string {
  const tree = { network: link.network ?? null, sshPort: link.sshPort, rateBps };
  const batch = (lines: readonly string[]): string => `tc -batch - <<TC || undo\n${lines.join('\n')}\nTC`;
  const out = { ...tree, device: '$IF', side: 'dst' } as const;
  const back = { ...tree, device: '$BACK', side: 'src' } as const;
  return [
    prologue(link),
    'owned',
    'undo() { sh "$STATE/release.sh" >/dev/null 2>&1; rm -f "$STATE/deadline"; die 22 "tc refused the throttle on $IF; the link was restored"; }',
    'if [ "$KIND" = ours ] && [ -d "/sys/class/net/$BACK" ]; then',
    // The level in force stays until the new one replaces it; only the lease must be in place before.
    leaseLines(lease),
    batch([...changeTree(out), ...changeTree(back)]),
    'else',
    'mkdir -p "$STATE"',
    'rm -f "$STATE/expired"',
    `cat > "$STATE/release.sh" <<'RELEASE'\n${releaseBody()}\nRELEASE`,
    'sed -i "1iIF=$IF BACK=$BACK" "$STATE/release.sh"',
    'sh "$STATE/release.sh"',
    leaseLines(lease),
    'ip link add "$BACK" type ifb 2>/dev/null || { modprobe ifb numifbs=0 2>/dev/null; ip link add "$BACK" type ifb; } || undo',
    'ip link set "$BACK" up || undo',
    batch([...addTree(back), ...addTree(out), ...redirectIngress('$IF', '$BACK')]),
    'fi',
    'report',
  ].join('\n');
}

/** Moves the lease's end; it does not bring back a throttle whose lease has run out. */
export function renewScript(link: DataLink, lease: Lease): string {
  return [prologue(link), 'if [ -e "$STATE/deadline" ]; then', deadlineLine(lease.seconds), 'fi', 'report'].join('\n');
}

/** Restores the link and ends the lease. Does nothing to a link that is not throttled by us. */
export function clearScript(link: DataLink): string {
  return [
    prologue(link),
    'if [ -e "$STATE/release.sh" ]; then sh "$STATE/release.sh" || die 22 "the throttle on $IF could not be removed"; rm -rf "$STATE"; fi',
    'report',
  ].join('\n');
}

function leaseLines({ agent, seconds, owner }: Lease): string {
  const keep = `${quote(agent)} keep --state "$STATE"`;
  return [
    `printf '%s' ${quote(owner)} > "$STATE/owner"`,
    deadlineLine(seconds),
    // logind may end the children of an ssh session; a transient unit is out of its reach.
    'if [ -d /run/systemd/system ] && command -v systemd-run >/dev/null; then',
    `systemd-run --quiet --collect --service-type=forking ${keep} >/dev/null || die 22 "the lease keeper did not start on $IF"`,
    'else',
    `setsid ${keep} >/dev/null </dev/null || die 22 "the lease keeper did not start on $IF"`,
    'fi',
  ].join('\n');
}

/** The end of the lease in /proc/uptime seconds, replaced at once so that the keeper never reads half of it. */
function deadlineLine(seconds: Seconds): string {
  return `read -r UP REST < /proc/uptime; printf '%s\\n' "$(( \${UP%.*} + ${Math.ceil(seconds)} ))" > "$STATE/deadline.new" && mv "$STATE/deadline.new" "$STATE/deadline"`;
}

/** What both the controller and the keeper run to restore a link: ingress first, then the own root, then the ifb. */
function releaseBody(): string {
  return [
    'export PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    '[ -d "/sys/class/net/$IF" ] || exit 0',
    'case "$(tc filter show dev "$IF" parent ffff: 2>/dev/null)" in *"$BACK"*) tc qdisc del dev "$IF" ingress || exit 1 ;; esac',
    `case "$(tc qdisc show dev "$IF")" in *"qdisc htb ${HANDLE} root"*) tc qdisc del dev "$IF" root handle ${HANDLE} || exit 1 ;; esac`,
    'if [ -d "/sys/class/net/$BACK" ]; then ip link del "$BACK" || exit 1; fi',
    'exit 0',
  ].join('\n');
}

function prologue({ interface: name, network }: DataLink): string {
  const find =
    name !== undefined
      ? [`IF=${quote(name)}`, '[ -d "/sys/class/net/$IF" ] || die 20 "the interface $IF does not exist here"']
      : [
          `IF=$(ip -o -4 addr show to ${quote(network ?? '')} | awk '{print $2; exit}')`,
          `[ -n "$IF" ] || die 20 "no interface here has an address in "${quote(network ?? '')}`,
        ];
  return [
    'export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C',
    'die() { code=$1; shift; echo "$*" >&2; exit "$code"; }',
    'command -v tc >/dev/null || die 25 "tc is missing here: install iproute2"',
    ...find,
    'STATE=/run/predict/throttle-$IF',
    'read -r INDEX < "/sys/class/net/$IF/ifindex"',
    `BACK=${IFB_PREFIX}$INDEX`,
    // A qdisc that somebody set has a handle; the kernel's own default has 0:.
    'look() {',
    '  QDISCS=$(tc qdisc show dev "$IF")',
    '  KIND=free',
    '  case "$QDISCS" in *" 0: root"*|"") ;; *" root"*) KIND=foreign ;; esac',
    '  case "$QDISCS" in *"qdisc ingress "*|*"qdisc clsact "*) KIND=foreign ;; esac',
    `  case "$QDISCS" in *"qdisc htb ${HANDLE} root"*) KIND=ours ;; esac`,
    '}',
    'look',
    'owned() {',
    '  [ "$KIND" != foreign ] || die 21 "the interface $IF carries a qdisc that is not ours ($(echo "$QDISCS" | head -n 1)); it was left as it is"',
    '}',
    'report() {',
    '  look',
    '  read -r UP REST < /proc/uptime',
    '  echo "@interface $IF"; echo "@state $KIND"; echo "@uptime $UP"',
    '  echo "@deadline $(cat "$STATE/deadline" 2>/dev/null)"; echo "@owner $(cat "$STATE/owner" 2>/dev/null)"',
    '  [ ! -e "$STATE/expired" ] || echo "@expired"',
    '  echo "@bytes $(cat "/sys/class/net/$IF/statistics/tx_bytes") $(cat "/sys/class/net/$IF/statistics/rx_bytes")"',
    '  echo "@qdisc"; echo "$QDISCS"',
    '  echo "@class out"; tc -s class show dev "$IF" 2>/dev/null',
    '  [ ! -d "/sys/class/net/$BACK" ] || { echo "@class in"; tc -s class show dev "$BACK" 2>/dev/null; }',
    '}',
  ].join('\n');
}
