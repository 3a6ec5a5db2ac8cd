/** A connection that is opened when it is first needed, and not before. */
import type { Sluice } from '../sluice.js';

export interface LateSluice {
  /** The one that is open. Where opening failed, whoever comes next tries again. */
  get(): Promise<Sluice>;
  close(): Promise<void>;
}

export function openLate(open: () => Promise<Sluice>): LateSluice {
  let opened: Promise<Sluice> | null = null;
  return {
    get() {
      opened ??= open().catch((error: unknown) => {
        opened = null;
        throw error;
      });
      return opened;
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
    },
  };
}
