import type { Otf2Record } from './print-records.ts';

interface Region {
  readonly name: string;
  readonly isFile: boolean;
}

/** What the events of an OTF2 trace refer to, by id. */
export class Definitions {
  ticksPerSecond = 1e9;
  readonly #regions = new Map<number, Region>();
  readonly #locations = new Map<number, { readonly name: string; readonly group: number; readonly events: number }>();
  readonly #groups = new Map<number, string>();
  readonly #members = new Map<number, readonly number[]>();
  readonly #comms = new Map<number, number>();

  add({ keyword, id, text }: Otf2Record): void {
    const name = /^Name: "([\s\S]*?)" <\d+>/.exec(text)?.[1] ?? '';
    if (keyword === 'CLOCK_PROPERTIES') this.ticksPerSecond = Number(/Ticks per Seconds: (\d+)/.exec(text)?.[1] ?? 1e9);
    if (keyword === 'REGION') this.#regions.set(id, { name, isFile: /, Role: FILE_IO/.test(text) });
    if (keyword === 'LOCATION_GROUP') this.#groups.set(id, name);
    if (keyword === 'LOCATION') {
      const events = Number(/, # Events: (\d+), Group: /.exec(text)?.[1] ?? 0);
      this.#locations.set(id, { name, group: lastId(text), events });
    }
    if (keyword === 'GROUP') {
      const members = text.slice(text.indexOf(' Members:'));
      this.#members.set(
        id,
        [...members.matchAll(/<(\d+)>\)/g)].map(([, location]) => Number(location)),
      );
    }
    if (keyword === 'COMM') {
      const group = text.slice(text.indexOf(', Group: "'));
      this.#comms.set(id, group.startsWith(', ') ? Number(/" <(\d+)>/.exec(group)?.[1] ?? -1) : -1);
    }
  }

  region(id: number): Region {
    return this.#regions.get(id) ?? { name: `region ${id}`, isFile: false };
  }

  /** Locations of a communicator, by rank in it; empty for that of a process alone, and where it is not defined. */
  membersOf(comm: number): readonly number[] {
    return this.#members.get(this.#comms.get(comm) ?? -1) ?? [];
  }

  /** How many events the locations have, as their definitions say. */
  get announcedEvents(): number {
    return [...this.#locations.values()].reduce((sum, { events }) => sum + events, 0);
  }

  /** What locations are called: their process, if it has no other one of them, else both; no two alike. */
  nameLocations(ids: readonly number[]): Map<number, string> {
    const process = (id: number) => this.#groups.get(this.#locations.get(id)?.group ?? -1) ?? '';
    const names = ids.map((id) => {
      const alone = ids.every((other) => other === id || process(other) !== process(id));
      const own = this.#locations.get(id)?.name ?? `location ${id}`;
      return alone && process(id) !== '' ? process(id) : [process(id), own].filter((part) => part !== '').join(': ');
    });
    return new Map(
      ids.map((id, index) => {
        const name = names[index] ?? '';
        return [id, names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${id})`];
      }),
    );
  }
}

/** The id that stands last in a text: names before it may hold anything. -1 where none does. */
export function lastId(text: string): number {
  return Number(/<(\d+)>\)?\s*$/.exec(text)?.[1] ?? -1);
}
