export { flameFigure, flameStyle } from './flame-figure.ts';
export { type FlamePage, renderFlame, renderFlameSvg } from './render-flame.ts';
