/** The fields of one line of comma-separated values (RFC 4180, without line breaks in fields). */
export function csvFields(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  const fields: string[] = [];
  for (const [, quoted, plain = '', end] of line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/g)) {
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
  }
  return fields;
}
