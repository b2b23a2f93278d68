import { basename } from 'node:path';
import { quote } from '../../base/shell.ts';
import type { Cell } from '../../experiments/records.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { isCampaign } from '../../experiments/store/campaign-folders.ts';
import { FollowedCampaign } from '../../experiments/store/follow-campaign.ts';
import { LiveFold } from '../../experiments/store/live-fold.ts';
import { parseListen } from './guarded-server.ts';
import { LiveFeed } from './live-feed.ts';
import { startLiveServer } from './live-server.ts';

/** The live view inside of a sweep. What it is told returns at once, and no fault of it reaches the sweep. */
interface SweepView {
  readonly link: string;
  readonly isOpen: boolean;
  /** The cells of the sweep, once they are known. */
  plan(cells: readonly Cell[]): void;
  take(event: SweepEvent): void;
  /** Viewers hear that the sweep has ended. */
  end(): Promise<void>;
}

/** Serves the campaign in `out`, where a sweep is about to begin. Errors: `badInput` where it cannot listen. */
export async function openSweepView({
  listen,
  out,
  note,
}: {
  /** An address; true for this machine alone. */
  readonly listen: string | true;
  readonly out: string;
  readonly note: (text: string) => void;
}): Promise<SweepView> {
  const flag = '--serve';
  const address = parseListen(listen === true ? undefined : listen, flag);
  const fold = isCampaign(out) ? (await FollowedCampaign.open(out)).fold : new LiveFold(basename(out), []);
  fold.prepare();
  let hasEnded = false;
  const command = `predict report ${quote(out)}`;
  const feed = new LiveFeed({
    dir: out,
    fold: () => fold,
    reportAt: ({ cells }) => (hasEnded && cells.done > 0 ? { command } : null),
    onFault: (sentence) => note(`predict: ${sentence}; the sweep continues.`),
  });
  const server = await startLiveServer(feed, address, { flag, report: null });
  return {
    link: server.link,
    isOpen: server.isOpen,
    plan: (cells) => {
      fold.plan(cells);
      feed.changed(null);
    },
    take: (event) => {
      try {
        fold.take(event);
        feed.changed(event);
      } catch (error) {
        feed.fail(error);
      }
    },
    end: async () => {
      hasEnded = true;
      await server.close();
    },
  };
}
