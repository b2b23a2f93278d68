import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseValues } from '../../report/content/main-setting.ts';
import { createAxis, toUnit } from '../../report/figures/axes.ts';
import { apart } from '../../report/figures/draw-series.ts';
import { inksFor } from '../../report/figures/inks.ts';
import { escapeHtml, html } from '../../report/html.ts';

const positive = fc.double({ min: 1e-9, max: 1e9, noNaN: true });

describe('axes', () => {
  it.each(['linear', 'log'] as const)('a %s axis shows all its values and at least one tick', (type) => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 20 }), (values) => {
        const axis = createAxis({ label: 'time (s)', type, values });
        for (const value of [...values, ...axis.ticks]) {
          expect(toUnit(axis, value)).toBeGreaterThanOrEqual(-1e-9);
          expect(toUnit(axis, value)).toBeLessThanOrEqual(1 + 1e-9);
        }
        expect(axis.ticks.length).toBeGreaterThan(0);
      }),
    );
  });

  it('an axis at the measured node counts has a tick at each', () => {
    expect(createAxis({ label: 'nodes', type: 'log', values: [4, 9, 16, 25], at: [4, 9, 16, 25] }).ticks).toEqual([
      4, 9, 16, 25,
    ]);
  });
});

describe('labels', () => {
  it('keep their order and their distance', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (positions) => {
        const placed = apart(positions, 0.05);
        const order = positions.map((_, index) => index).sort((a, b) => (placed[a] ?? 0) - (placed[b] ?? 0));
        for (let i = 1; i < order.length; i += 1) {
          const [low, high] = [order[i - 1] ?? 0, order[i] ?? 0];
          expect((placed[high] ?? 0) - (placed[low] ?? 0)).toBeGreaterThanOrEqual(0.05 - 1e-9);
          expect(positions[high] ?? 0).toBeGreaterThanOrEqual(positions[low] ?? 0);
        }
        expect(Math.max(0, ...placed)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('chosen values', () => {
  it('keep the ends of a long sweep and prefer round ones', () => {
    const sweep = [...Array.from({ length: 21 }, (_, index) => 10 + 2 * index), 100];
    expect(chooseValues(sweep)).toEqual([10, 20, 30, 40, 50, 100]);
    expect(chooseValues([5, 10])).toEqual([5, 10]);
  });
});

describe('colours', () => {
  const values = [...Array.from({ length: 21 }, (_, index) => 10 + 2 * index), 100];
  const css = inksFor({ bw: values, nodes: [4, 9, 16, 25] }).css.text;
  const [light = '', dark = ''] = css.split('@media');

  it.each([
    ['light', light, 'rgb(255, 255, 255)'],
    ['light, page', light, 'rgb(251, 251, 248)'],
    ['dark', dark, 'rgb(24, 29, 37)'],
  ])('have a contrast of at least 3 to 1 on the %s card', (_, rules, page) => {
    const colours = [...rules.matchAll(/--(?:bw|n)-\d+:(rgb\([^)]*\))/g)].map((match) => match[1] ?? '');
    expect(colours.length).toBe(values.length + 4);
    for (const colour of colours) expect(contrast(colour, page), colour).toBeGreaterThanOrEqual(3);
  });
});

describe('the html template', () => {
  it('escapes every value and passes its own markup through', () => {
    expect(html`<b>${'<i>'}${html`<u>${'&'}</u>`}${[1, null, "'"]}</b>`.text).toBe(
      '<b>&lt;i&gt;<u>&amp;</u>1&#39;</b>',
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']/);
      }),
    );
  });
});

/** WCAG 2 contrast ratio of two colours. */
function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const part = (index: number): number => {
    const value = Number(colour.match(/\d+/g)?.[index]) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2);
}
