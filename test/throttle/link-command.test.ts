import { describe, expect, it } from 'vitest';
import { asBitsPerSecond, asSeconds } from '../../base/units.ts';
import { clearCommand, netemCommand, renewCommand, setCommand, showCommand } from '../../throttle/link-command.ts';

const byNetwork = { interface: undefined, network: '10.77.0.0/16', sshPort: 2222, queue: 'fair' };
const lease = { seconds: asSeconds(59.2), owner: "ann's sweep" };

describe('the commands for a data link', () => {
  it('name the interface, the network, or both', () => {
    expect(showCommand(byNetwork)).toEqual(['link', 'show', '--network', '10.77.0.0/16']);
    expect(showCommand({ ...byNetwork, interface: 'eth0', network: undefined })).toEqual([
      ...['link', 'show', '--interface', 'eth0'],
    ]);
    expect(netemCommand(byNetwork)).toEqual(['link', 'show', '--network', '10.77.0.0/16', '--netem']);
    expect(clearCommand({ ...byNetwork, interface: 'eth0' })).toEqual([
      ...['link', 'clear', '--interface', 'eth0', '--network', '10.77.0.0/16'],
    ]);
  });

  it('give whole numbers: bits per second, bytes, and seconds that are not cut short', () => {
    expect(setCommand(byNetwork, { rateBps: asBitsPerSecond(1e12 / 3), latencyMs: 0 }, lease)).toEqual([
      ...['link', 'set', '--network', '10.77.0.0/16', '--rate', '333333333333', '--burst', '41666667'],
      ...['--ssh-port', '2222', '--queue', 'fair', '--lease', '60', '--owner', "ann's sweep"],
    ]);
    expect(renewCommand(byNetwork, lease)).toEqual(['link', 'renew', '--network', '10.77.0.0/16', '--lease', '60']);
  });

  it('name a latency in milliseconds, and none where there is none', () => {
    const words = (latencyMs: number) => setCommand(byNetwork, { rateBps: asBitsPerSecond(20e6), latencyMs }, lease);
    expect(words(0.5).join(' ')).toContain('--queue fair --latency 0.5 --lease');
    expect(words(0)).not.toContain('--latency');
  });
});
