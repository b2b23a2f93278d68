/** A Java properties file as its keys and values, the first of a key; includes are keys like others. Format: java.util.Properties. */
export function readProperties(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.replace(/\\\r?\n[ \t\f]*/g, '').split(/\r?\n/)) {
    const match = /^\s*([^\s#!=:][^\s=:]*)\s*[=:\s]?\s*(.*?)\s*$/.exec(line);
    const [, key, value] = match ?? [];
    if (key !== undefined && value !== undefined && !found.has(key)) found.set(key, value);
  }
  return found;
}
