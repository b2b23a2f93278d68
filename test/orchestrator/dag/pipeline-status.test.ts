import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusFilter, stageFailure, withStatuses } from '../../../orchestrator/dag/pipes/pipeline-status.ts';

const MARK = 'b1a2-77';

function filtered(pieces: readonly string[]): { text: string; codes: readonly number[] | null } {
  let [text, codes]: [string, readonly number[] | null] = ['', null];
  const filter = new StatusFilter(MARK, {
    onText: (more) => {
      text += more;
    },
    onStatuses: (found) => {
      codes = found;
    },
  });
  for (const piece of pieces) filter.add(piece);
  filter.end();
  return { text, codes };
}

async function ran(command: string) {
  const [shell = '', ...words] = withStatuses(command, { mark: MARK, folder: '/' });
  const { stderr, stdout, exitCode } = await execa(shell, words, { reject: false, stripFinalNewline: false });
  return { ...filtered([stderr]), stdout, exitCode };
}

describe('how the commands of a pipeline ended', () => {
  it.each([
    ['true | (exit 3) | cat', [0, 3, 0], 0],
    ['yes | head -1', [141, 0], 0],
    ['true | true; exit 5', [0, 0], 5],
    ["sh -c 'kill -9 $$' | cat", [137, 0], 0],
    ['test "$#$PWD" = 0/ | cat # the last', [0, 0], 0],
  ])('%s', async (command, codes, exitCode) => {
    expect(await ran(command)).toMatchObject({ codes, exitCode });
  });

  it('takes nothing else out of what a command prints', async () => {
    expect(await ran(`echo 'it''s "so"' >&2; printf end >&2`)).toMatchObject({ text: `its "so"\nend`, codes: [0] });
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\n', 'b', 'b1a2-7', MARK, ' 0 3', 'x')), fc.nat(8), (before, at) => {
        const text = before.join('').replaceAll(`\n${MARK} `, '');
        const whole = `${text}\n${MARK} 0 3\nlast`;
        const [a, b] = [Math.min(at, whole.length), Math.max(0, whole.length - at)];
        expect(filtered([whole.slice(0, a), whole.slice(a, Math.max(a, b)), whole.slice(Math.max(a, b))])).toEqual({
          text: `${text}last`,
          codes: [0, 3],
        });
      }),
    );
  });

  it('a mark without a line end is let go at once it is too long for one, and takes time that grows as the flood does', () => {
    const before = process.cpuUsage();
    const { text, codes } = filtered([`\n${MARK} `, ...new Array<string>(1024).fill('x'.repeat(2 ** 15)), '\n']);
    const { user, system } = process.cpuUsage(before);
    expect([text.length, codes]).toEqual([`\n${MARK} `.length + 2 ** 25 + 1, null]);
    // It took 4 s for half of it when all was kept and looked through with each piece.
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it('the first that failed is named; a reader that has had enough is no failure of its writer', () => {
    expect(stageFailure([0, 0], ['a', 'b'])).toBeNull();
    expect(stageFailure([141, 0], ['yes', 'head'])).toBeNull();
    expect(stageFailure([141, 3, 1], ['zcat', 'parse', 'load'])).toEqual({
      code: 3,
      words: "'parse' (command 2 of 3 of the pipeline) ended with exit code 3",
    });
    expect(stageFailure([0, 141], [])?.words).toBe('command 2 of 2 of the pipeline was ended by SIGPIPE');
    expect(stageFailure([7], ['a'])?.words).toBe('the command ended with exit code 7');
    expect(stageFailure([137], ['a'])?.words).toBe('the command was ended by SIGKILL');
  });
});
