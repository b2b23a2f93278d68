// The tokens of Ladybug's Cypher: https://docs.ladybugdb.com/cypher/syntax
import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';

/** What a statement that reads begins with. */
const BEGINNINGS = ['MATCH', 'OPTIONAL', 'UNWIND', 'WITH', 'RETURN', 'CALL'];
/** Before one of these. */
const ASKING = ['EXPLAIN', 'PROFILE'];
/** What may stand in the middle of a statement and not only reads the graph: LOAD reads any file, COPY writes one, even where the graph is only read. */
const OTHERS = ['LOAD', 'COPY', 'CREATE', 'MERGE', 'SET', 'DELETE', 'DETACH', 'REMOVE', 'DROP', 'INSTALL', 'ATTACH'];
/** What CALL may name: other functions read files (read_csv_serial), or are no functions but settings. */
const FUNCTIONS = [
  'SHOW_TABLES',
  'SHOW_CONNECTION',
  'SHOW_INDEXES',
  'SHOW_FUNCTIONS',
  'TABLE_INFO',
  'STATS_INFO',
  'STORAGE_INFO',
  'CURRENT_SETTING',
  'DB_VERSION',
];

/** A quote without its end is looked for from each place anew. */
const MOST_CHARACTERS = 16_384;

// A comment; a text between quotes; a name between backticks; a number with the letters that follow it; a word; anything else but blanks.
const TOKEN = new RegExp(
  [
    /\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/,
    /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/,
    /`[^`]*`/,
    /\d[\w.]*/,
    /[A-Za-z_]\w*/,
    /\/\*|\S/,
  ]
    .map(({ source }) => `(${source})`)
    .join('|'),
  'g',
);

/**
 * A statement of somebody else's that only reads the graph, without its comments: Ladybug itself opens any file and loads native code
 * also where a database is only read, and no call of its tells such statements apart. Errors: badInput for all others, and for several.
 */
export function readingCypher(text: string): string {
  if (text.length > MOST_CHARACTERS) throw refused(`${text.length} characters, more than ${MOST_CHARACTERS}`);
  // What could hide a word, a comment, is gone before Ladybug sees the text.
  const statement = text.replace(TOKEN, (token, comment?: string) => {
    return comment === undefined ? token : token.replace(/[^\r\n]/g, ' ');
  });
  const words = [...statement.trim().replace(/;$/, '').matchAll(TOKEN)].map(([token, , quoted, name, number, word]) => {
    if (quoted !== undefined || name !== undefined) return '';
    if (number !== undefined) return wordAfter(number);
    return word?.toUpperCase() ?? token;
  });
  if (words.includes(';')) throw refused('several statements');
  // Whole ones are no words: this one has no end.
  const open = words.find((word) => ['"', "'", '`', '/*'].includes(word));
  if (open !== undefined) throw refused(`an unclosed ${open}`);
  const [first = '', second = ''] = words;
  const beginning = ASKING.includes(first) ? second : first;
  if (!BEGINNINGS.includes(beginning)) throw refused(beginning === '' ? 'no clause' : `${shortened(beginning)} first`);
  const other = words.find((word) => OTHERS.includes(word));
  if (other !== undefined) throw refused(other);
  for (const [index, word] of words.entries()) {
    if (word !== 'CALL') continue;
    const called = words[index + 1] ?? '';
    if (FUNCTIONS.includes(called) && words[index + 2] === '(') continue;
    throw refused(`CALL ${shortened(called)}${words[index + 2] === '(' ? '' : ' without arguments'}`.trim());
  }
  return statement;
}

/** Ladybug reads `1LOAD` as a number and a word. */
function wordAfter(number: string): string {
  const upper = number.toUpperCase();
  return [...OTHERS, 'CALL'].find((word) => upper.endsWith(word)) ?? '';
}

function refused(what: string) {
  const functions = FUNCTIONS.map((name) => name.toLowerCase());
  return badInput(
    `Only statements that read the graph are allowed, and this one has ${what}. Use MATCH, OPTIONAL MATCH, UNWIND, WITH and RETURN, or CALL of ${joinWords(functions)}. Put names that are Cypher keywords in backticks.`,
  );
}
