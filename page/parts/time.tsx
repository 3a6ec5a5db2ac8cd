/** Times as a person reads them: how long ago, with the exact time beside it. Every second one clock for all of them. */
import { useEffect, useState } from 'preact/hooks';
import { age, clockOf, localTime } from '../../client/views/local-time.js';
import { elapsed } from '../../client/views/waiting-text.js';
import { Store, useStore } from '../state/store.js';

const now = new Store(Date.now());
let watchers = 0;
let timer = 0;

/** **Unit** ms since 1970. */
export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    if (watchers === 1) timer = window.setInterval(() => now.set(Date.now()), 1_000);
    return () => {
      watchers -= 1;
      if (watchers === 0) window.clearInterval(timer);
    };
  }, []);
  return useStore(now, (ms) => ms);
}

/** `3 min`. */
export function Age({ since }: { readonly since: string }) {
  const ms = useNow();
  return (
    <time dateTime={since} title={localTime(since)}>
      {age(ms - Date.parse(since))}
    </time>
  );
}

/** `15:30:12`: of what there may be thousands, none of which follows the clock. */
export function Clock({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={localTime(at)} class="number">
      {clockOf(at)}
    </time>
  );
}

/** `3 min ago`. */
export function Ago({ since }: { readonly since: string }) {
  const shown = age(useNow() - Date.parse(since));
  return (
    <time dateTime={since} title={localTime(since)}>
      {shown === 'now' ? 'just now' : `${shown} ago`}
    </time>
  );
}

/** `12:30 left`. */
export function Left({ until }: { readonly until: string }) {
  const left = Date.parse(until) - useNow();
  return (
    <time dateTime={until} title={localTime(until)}>
      {left > 0 ? `${elapsed(left)} left` : 'due now'}
    </time>
  );
}

/** `0:12`, counting. */
export function Running({ since }: { readonly since: string }) {
  return <span class="number">{elapsed(useNow() - Date.parse(since))}</span>;
}

/** True once it was so for that long. */
export function useLasting(is: boolean, ms: number): boolean {
  const [lasts, show] = useState(false);
  useEffect(() => {
    if (!is) return show(false);
    const wait = window.setTimeout(() => show(true), ms);
    return () => window.clearTimeout(wait);
  }, [is, ms]);
  return lasts;
}
