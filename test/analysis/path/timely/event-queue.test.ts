import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventQueue, TimelyEvent } from '../../../../analysis/path/timely/event.ts';

it('a queue gives events in the order in which they came, whenever they are taken', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (pushes) => {
      const [queue, model, event] = [new EventQueue(), [] as number[], new TimelyEvent()];
      for (const [line, isPush] of pushes.entries()) {
        if (isPush) {
          // One row is filled again and again: what is kept is a copy.
          event.line = line;
          queue.push(event);
          model.push(line);
        } else if (model.shift() !== undefined) queue.dropFirst();
        expect([queue.length, queue.first?.line]).toEqual([model.length, model[0]]);
      }
    }),
  );
});
