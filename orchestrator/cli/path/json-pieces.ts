/** Elements of an array that are written at once. */
const AT_ONCE = 1000;

/** What `JSON.stringify(value, null, 2)` gives, in pieces: a path may have more steps than one text holds. */
export function* jsonPieces(value: unknown, indent = ''): Generator<string> {
  if (!isLarge(value)) {
    yield JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
    return;
  }
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const entries = Object.entries(value).filter(([, own]) => own !== undefined);
  let before = isArray ? '[' : '{';
  for (const [key, own] of entries) {
    yield `${before}\n${inner}${isArray ? '' : `${JSON.stringify(key)}: `}`;
    yield* jsonPieces(own, inner);
    before = ',';
  }
  yield `\n${indent}${isArray ? ']' : '}'}`;
}

/** Whether an object or array holds, at any depth, an array that is too long to be written at once. */
function isLarge(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && value.length > AT_ONCE) return true;
  return Object.values(value).some(isLarge);
}
