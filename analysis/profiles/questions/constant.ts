/** Below this, of the sum of squares, what is left around the mean is rounding. */
const ROUNDING = 1e-24;

/** Whether values do not vary, by their squares around their mean and their squares. */
export function isConstant(aroundMean: number, squares: number): boolean {
  return aroundMean <= ROUNDING * squares;
}
