// Columns that grow at their end and may lose their beginning; numbers stay in typed arrays.

const FIRST_LENGTH = 16;

/** A column of doubles. */
export class Floats {
  values: Float64Array;
  length = 0;

  /** `room`: so many fit before it grows. */
  constructor(room = FIRST_LENGTH) {
    this.values = new Float64Array(Math.max(room, FIRST_LENGTH));
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const longer = new Float64Array(this.length * 2);
      longer.set(this.values);
      this.values = longer;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.values[index] ?? Number.NaN;
  }

  dropFirst(count: number): void {
    this.values.copyWithin(0, count, this.length);
    this.length -= count;
  }
}

/** A column of whole numbers of 32 bits. */
export class Ints {
  values: Int32Array;
  length = 0;

  /** `room`: so many fit before it grows. */
  constructor(room = FIRST_LENGTH) {
    this.values = new Int32Array(Math.max(room, FIRST_LENGTH));
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const longer = new Int32Array(this.length * 2);
      longer.set(this.values);
      this.values = longer;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }

  dropFirst(count: number): void {
    this.values.copyWithin(0, count, this.length);
    this.length -= count;
  }
}
