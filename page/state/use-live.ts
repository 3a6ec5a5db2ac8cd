/** A topic that a view shows: followed while the view is there. */
import { useEffect } from 'preact/hooks';
import type { Live } from './live.js';
import { useStore } from './store.js';
import { followTopic, live } from './stream.js';

export function useLive<Part>(topic: string, part: (value: Live) => Part): Part {
  useEffect(() => followTopic(topic), [topic]);
  return useStore(live, part);
}
