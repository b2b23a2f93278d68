import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { headerOf, MESSAGE_COLUMNS, SPAN_COLUMNS, traceProblem } from '../../experiments/trace.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the columns of a trace', () => {
  test.each([
    ['trace.h', 'TRACE_COLUMNS', SPAN_COLUMNS],
    ['message-log.h', 'MESSAGE_COLUMNS', MESSAGE_COLUMNS],
  ])('are those that our C programs write: %s', (file, name, columns) => {
    const [, written = ''] = new RegExp(`#define ${name} "([^"]*)"`).exec(text(`agents/mpi/${file}`)) ?? [];
    const known = columns.map((column) => column.name);
    expect(written.split(',')).toEqual(known.slice(0, written.split(',').length));
    expect(written.split(',').length).toBeGreaterThan(known.length - 2);
  });
});

describe('the header of a trace', () => {
  test('reads the columns of before under their names of today', () => {
    expect(headerOf('rank,root,phase\n1,2,x\n')).toEqual(['worker', 'root', 'phase']);
  });

  test('with all that it must have, and keys, is no problem; nor is a file that is not there', () => {
    expect(traceProblem({ phases: 'worker,phase,start_ns,end_ns,iteration\n' })).toBeNull();
    expect(traceProblem({ messages: 'kind,worker,peer,t_ns\r\n' })).toBeNull();
    expect(traceProblem({ phases: '' })).toBeNull();
    expect(traceProblem({})).toBeNull();
  });

  test.each([
    [
      { phases: 'worker,start_ns,end_ns\n' },
      "The phases file has no column phase (its header: 'worker,start_ns,end_ns').",
    ],
    [{ messages: 'worker,kind,t_ns\n' }, 'The messages file has no column peer'],
    [
      { phases: 'worker,phase,start_ns,end_ns,x y\n' },
      "The phases file has a column 'x y', which is not a valid key name.",
    ],
    [{ phases: 'worker,phase,start_ns,end_ns,cell\n' }, "a column 'cell', which"],
    [{ phases: 'worker,phase,start_ns,end_ns,a,a\n' }, 'The phases file names a column twice.'],
    [{ phases: 'worker,rank,phase,start_ns,end_ns\n' }, 'The phases file names a column twice.'],
  ])('with something wrong says what: %j', (files, sentence) => {
    expect(traceProblem(files)).toContain(sentence);
  });
});
