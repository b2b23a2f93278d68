import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { flameOfTrees } from '../../analysis/profiles/flame/flame-of.ts';
import type { FlameLayout } from '../../analysis/profiles/flame/layout-flame.ts';
import { CallTreeBuilder } from '../../analysis/profiles/tree/builder.ts';
import { NameTable } from '../../analysis/profiles/tree/call-tree.ts';
import { type FlamePage, renderFlame, renderFlameSvg } from '../../report/flame/render-flame.ts';

function pageOf(stacks: readonly (readonly [string, number])[], change: Partial<FlameLayout> = {}): FlamePage {
  const names = new NameTable();
  const builder = new CallTreeBuilder();
  for (const [stack, samples] of stacks) {
    let node = 0;
    for (const frame of stack.split(';')) node = builder.child(node, names.id(frame));
    builder.add(node, samples);
  }
  const { layout, functions } = flameOfTrees([[builder.finish()]], { names, against: null });
  return {
    ...{ key: 'b/r', against: null, unit: 'samples', generatedAt: '2026-01-01T00:00:00Z' },
    layout: { ...layout, ...change },
    functions,
  };
}

const boxes = (text: string): string[][] => {
  const { document } = parseHTML(text);
  return [...document.querySelectorAll('svg.f')].map((box) => [
    box.getAttribute('x') ?? '',
    box.getAttribute('width') ?? '',
    box.querySelector('text')?.textContent ?? '',
  ]);
};

test('boxes are placed in percent under the whole profile, the same on the page and in the drawing', () => {
  const page = pageOf([
    ['main;f', 3],
    ['main', 1],
  ]);
  const expected = [
    ['0', '100%', 'all: 4 samples'],
    ['0%', '100%', 'main'],
    ['0%', '75%', 'f'],
  ];
  expect(boxes(renderFlame(page))).toEqual(expected);
  expect(boxes(renderFlameSvg(page))).toEqual(expected);
});

test('a box says its share, what it was before, and which way it went without any colour', () => {
  const frame = { name: 'f', level: 0, from: 0, share: 0.75, ownShare: 0.75, before: 0.25 };
  const less = { ...frame, name: 'g', from: 0.75, share: 0.25, ownShare: 0.25, before: 0.75 };
  const gone = { frames: 3, share: 0.02 };
  const text = renderFlame({
    ...pageOf(
      [
        ['f', 3],
        ['g', 1],
      ],
      { frames: [frame, less], gone },
    ),
    against: 'b/q',
  });
  expect(text).toContain('75\u202f% (3 samples), 75\u202f% of its own; 25\u202f% before, +50.00 percentage points');
  expect(boxes(text).map(([, , name]) => name)).toEqual(['all: 4 samples', '▲ f', '▼ g']);
  expect(text).toContain('3 boxes disappeared, which had 2\u202f% before.');
  expect(text).toContain('b/r compared with b/q');
});

test('names from outside are neither markup nor controls', () => {
  const page = pageOf([['</title><script>alert(1)</script>\u0001"x', 1]]);
  for (const text of [renderFlame({ ...page, key: '<b>&' }), renderFlameSvg({ ...page, key: '<b>&' })]) {
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('\u0001');
    expect(text).not.toContain('<b>');
    expect(text).toContain('\\u0001&quot;x');
  }
});

test('the page allows its own script alone', () => {
  const text = renderFlame(pageOf([['f', 1]]));
  expect(text).toMatch(/default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[A-Za-z0-9+/]{43}='/);
  expect(text.match(/<script>/g)).toHaveLength(1);
  expect(renderFlameSvg(pageOf([['f', 1]]))).not.toContain('<script');
});
