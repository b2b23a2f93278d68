import { capital } from './capital.ts';

/**
 * The size of a problem in a sentence, `, scale 20`, behind `before`. Nothing for a program without sizes: its runs have scale 0.
 */
export function sizeText(scale: number, before = ', ', show: (scale: number) => string = String): string {
  return scale === 0 ? '' : `${before}scale ${show(scale)}`;
}

/** `Scale 20: time over nodes`; `Time over nodes` for a program without sizes. */
export function underSize(scale: number, text: string, show: (scale: number) => string = String): string {
  return scale === 0 ? capital(text) : `Scale ${show(scale)}: ${text}`;
}
