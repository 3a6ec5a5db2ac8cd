/** The timeline of a run that is looked at: of what is open it grows with the clock. */
import { useMemo } from 'preact/hooks';
import { localTime } from '../../client/views/local-time.js';
import { tellTimeline } from '../../client/views/timeline.js';
import { runOf } from '../state/live.js';
import { useStore } from '../state/store.js';
import { live } from '../state/stream.js';
import { useNow } from './time.js';
import { Timeline } from './timeline.js';

export function LiveTimeline({ runId }: { readonly runId: string }) {
  const events = useStore(live, (value) => runOf(value, runId).events);
  const now = useNow();
  const isOpen = useMemo(() => tellTimeline(events, 0)?.isOpen === true, [events]);
  // What has ended is drawn once, however long somebody looks at it.
  const until = isOpen ? now : 0;
  return useMemo(() => {
    const timeline = tellTimeline(events, until);
    return timeline === null ? null : <Timeline timeline={timeline} showTime={localTime} />;
  }, [events, until]);
}
