/** The package has no types of its own: what is used of it (https://github.com/mljs/regression). */
declare module 'ml-regression' {
  /** y = A x^B, by least squares of ln y over ln x. */
  export class PowerRegression {
    constructor(x: ArrayLike<number>, y: ArrayLike<number>);
    predict(x: number): number;
  }

  /** y = X b by ordinary least squares; `weights` has a row per column of X. */
  export class MultivariateLinearRegression {
    constructor(
      x: readonly (readonly number[])[],
      y: readonly (readonly number[])[],
      options?: { readonly intercept?: boolean; readonly statistics?: boolean },
    );
    readonly weights: readonly (readonly number[])[];
  }
}
