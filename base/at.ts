/** The element at an index that must be there; an index beyond the column is a fault of the caller. */
export function at<T>(column: { readonly length: number; readonly [index: number]: T }, index: number): T {
  const value = column[index];
  if (value === undefined) throw new Error(`there is no element ${index}: the column has ${column.length}`);
  return value;
}

/** The last element of a column that must have one. */
export function last<T>(column: { readonly length: number; readonly [index: number]: T }): T {
  return at(column, column.length - 1);
}
