import { badInput } from '../base/errors.ts';
import { shortened } from '../base/text.ts';

/** Of one list, and of one inventory. */
export const MOST_HOSTS = 100_000;
/** Characters of a name: RFC 1035, 2.3.4. */
const LONGEST_NAME = 253;
const NAME = /^[A-Za-z0-9_:][A-Za-z0-9_.:-]*$/;

/**
 * `node[01-32]`, `rack[1-2]-n[01-16]`, `node[1,3,7-9],login` -> names in the order written; zero padding is kept.
 * Backward ranges, brackets that do not pair up, odd characters and names given twice are errors naming the text.
 *
 * @example expandHosts('n[08-10]') // ['n08', 'n09', 'n10']
 */
export function expandHosts(text: string): readonly string[] {
  const names = new Set<string>();
  for (const part of splitOutsideBrackets(text)) {
    for (const name of expandPart(part, text)) {
      if (!NAME.test(name)) {
        throw badInput(
          `'${name}' is no host name: use letters, digits, dots, dashes and underscores, and no dash at the front.`,
        );
      }
      if (names.has(name)) throw badInput(`'${text}' names ${name} twice: keep one.`);
      names.add(name);
    }
    if (names.size > MOST_HOSTS) throw tooMany(text);
  }
  return [...names];
}

/** Cuts at commas that are not inside brackets; complains about brackets that do not pair up. */
function splitOutsideBrackets(text: string): readonly string[] {
  const refuse = (what: string): Error => badInput(`'${text}' has ${what}`);
  if (/\[[^\]]*\[/.test(text)) {
    throw refuse('a bracket inside a bracket: close the first one, as in node[01-04].');
  }
  if (/(?:^|\])[^[\]]*\]/.test(text)) {
    throw refuse('a closing bracket without an opening one: write ranges as in node[01-04].');
  }
  if (text.lastIndexOf('[') > text.lastIndexOf(']')) {
    throw refuse('an opening bracket that is never closed: write ranges as in node[01-04].');
  }
  const parts = [...`${text},`.matchAll(/((?:\[[^\]]*\]|[^,[])*),/g)].map(([, part = '']) => part.trim());
  if (parts.includes('')) {
    throw refuse('an empty host name: write names separated by single commas, as in node[01-04],login.');
  }
  return parts;
}

/** One name with any number of bracketed lists; the last list runs fastest. */
function expandPart(part: string, text: string): readonly string[] {
  let names: readonly string[] = [''];
  // Before there are many of them.
  if (part.replaceAll(/\[[^\]]*\]/g, '').length > LONGEST_NAME) {
    throw badInput(`'${shortened(part)}' is no host name: a name has at most ${LONGEST_NAME} characters.`);
  }
  for (const piece of part.match(/\[[^\]]*\]|[^[]+/g) ?? []) {
    const choices = piece.startsWith('[') ? expandList(piece.slice(1, -1), part) : [piece];
    if (names.length * choices.length > MOST_HOSTS) throw tooMany(text);
    names = names.flatMap((name) => choices.map((choice) => name + choice));
  }
  return names;
}

/** `01-04,07` -> 01 02 03 04 07. The first number's length is the least width of all. */
function expandList(list: string, part: string): readonly string[] {
  const values: string[] = [];
  for (const item of list.split(',').map((piece) => piece.trim())) {
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(item);
    const first = match?.[1];
    if (first === undefined) {
      throw badInput(`'${item}' in '${part}' is no number or range: write for example [01-04] or [1,3,7-9].`);
    }
    const last = match?.[2] ?? first;
    if (Number(last) < Number(first)) {
      throw badInput(`The range '${item}' in '${part}' runs backwards: write ${last}-${first}.`);
    }
    if (Number(last) - Number(first) + values.length >= MOST_HOSTS) throw tooMany(part);
    for (let value = Number(first); value <= Number(last); value += 1) {
      values.push(String(value).padStart(first.length, '0'));
    }
  }
  return values;
}

function tooMany(text: string): Error {
  return badInput(`'${shortened(text)}' names more than ${MOST_HOSTS} hosts: write a smaller range.`);
}
