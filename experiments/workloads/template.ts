import { own } from '../../base/lists.ts';
import type { Cell } from '../records.ts';

const PARAMETER = 'param.';
const NUMBERS = ['scale', 'ranks', 'nodes', 'roots'] as const;
export const PLACEHOLDER_NAMES: readonly string[] = [...NUMBERS, 'seed', 'output', 'hosts'];
/** What may stand in a template, for messages. */
export const PLACEHOLDERS = '{scale}, {ranks}, {nodes}, {roots}, {seed}, {output}, {hosts} or {param.NAME}';

interface TemplateValues {
  readonly cell: Cell;
  readonly seed: number;
  /** The folder for files that the run leaves. */
  readonly outputFolder: string;
  /** The names of the run's hosts. */
  readonly hosts: readonly string[];
}

// {{word}} is the text {word}; {word} is a placeholder; other braces are text.
const PLACEHOLDER = /\{\{(\w+|param\.\w+)\}\}|\{(\w+|param\.\w+)\}/g;

/** Puts what is known of a cell in the place of its placeholders. */
export function fillTemplate(text: string, values: TemplateValues): string {
  return text.replace(PLACEHOLDER, (whole: string, literal: string | undefined, name: string | undefined) => {
    if (literal !== undefined) return `{${literal}}`;
    return placeholderValue(name ?? '', values) ?? whole;
  });
}

function placeholderValue(name: string, { cell, seed, outputFolder, hosts }: TemplateValues): string | undefined {
  const number = NUMBERS.find((known) => known === name);
  if (number !== undefined) return String(cell[number]);
  if (name === 'seed') return String(seed);
  if (name === 'output') return outputFolder;
  if (name === 'hosts') return hosts.join(',');
  const parameter = name.slice(PARAMETER.length);
  const value = name.startsWith(PARAMETER) ? own(cell.params ?? {}, parameter) : undefined;
  return value === undefined ? undefined : String(value);
}

/** Names of the parameters that templates read, each once. */
export function parametersOf(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].flatMap((match) => match[2] ?? []));
  const parameters = names.filter((name) => name.startsWith(PARAMETER)).map((name) => name.slice(PARAMETER.length));
  return [...new Set(parameters)];
}

export function reads(name: (typeof NUMBERS)[number], texts: readonly string[]): boolean {
  return texts.some((text) => [...text.matchAll(PLACEHOLDER)].some((match) => match[2] === name));
}

/** Placeholders that no cell can fill. */
export function unknownPlaceholders(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)]
    .flatMap((match) => match[2] ?? [])
    .filter((name) => !PLACEHOLDER_NAMES.includes(name) && !name.startsWith(PARAMETER));
}
