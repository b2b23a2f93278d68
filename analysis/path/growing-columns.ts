// Tables of numbers in typed arrays that grow at their end and may lose their beginning.

type Column = Float64Array | Int32Array | Uint8Array;
type Kinds = Readonly<Record<string, new (length: number) => Column>>;
type ColumnsOf<Of extends Kinds> = { readonly [Name in keyof Of]: InstanceType<Of[Name]> };

const FIRST_ROOM = 16;

/** Columns of one length; `rows.of.end[3]` is the value of a column in row 3. */
export class GrowingColumns<Of extends Kinds> {
  length = 0;
  /** Longer than the table: rows from `length` on mean nothing. Others after `add`. */
  of: ColumnsOf<Of>;
  private room: number;
  private readonly kinds: Of;

  /** `room`: so many rows fit before it grows. */
  constructor(kinds: Of, room = FIRST_ROOM) {
    this.kinds = kinds;
    this.room = Math.max(room, FIRST_ROOM);
    this.of = this.made((Kind) => new Kind(this.room));
  }

  /** The index of a new row at the end; whoever adds it sets its value in every column. */
  add(): number {
    if (this.length === this.room) {
      this.room *= 2;
      this.of = this.made((Kind, name) => {
        const longer = new Kind(this.room);
        longer.set(this.of[name] as Column);
        return longer;
      });
    }
    this.length += 1;
    return this.length - 1;
  }

  /** A row at the end; where rows come by the million, `add` and setting each is faster. */
  addRow(values: { readonly [Name in keyof Of]: number }): number {
    const row = this.add();
    for (const name in this.of) (this.of[name] as Column)[row] = values[name];
    return row;
  }

  /** Takes rows [from, to) out. */
  remove(from: number, to: number): void {
    if (from === to) return;
    for (const column of Object.values<Column>(this.of)) column.copyWithin(from, to, this.length);
    this.length -= to - from;
  }

  /** Keeps the rows for which `isKept` says so, in their order. */
  keep(isKept: (row: number) => boolean): void {
    const columns = Object.values<Column>(this.of);
    let kept = 0;
    for (let row = 0; row < this.length; row += 1) {
      if (!isKept(row)) continue;
      for (const column of columns) column[kept] = column[row] as number;
      kept += 1;
    }
    this.length = kept;
  }

  /** The columns as long as the table, in the memory of the table. */
  used(): ColumnsOf<Of> {
    return this.made((_, name) => (this.of[name] as Column).subarray(0, this.length));
  }

  private made(columnOf: (Kind: Kinds[string], name: keyof Of & string) => Column): ColumnsOf<Of> {
    const columns = Object.entries(this.kinds).map(([name, Kind]) => [name, columnOf(Kind, name)]);
    return Object.fromEntries(columns) as ColumnsOf<Of>;
  }
}
