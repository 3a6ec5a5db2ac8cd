/** What somebody typed and has not sent, kept over updates, reloads and a server that was started again, in this tab. */
import { useState } from 'preact/hooks';

const PREFIX = 'sluice.draft.';

/** The text of that name, and how it is set; `''` takes it away. The third is told what was sent: what was typed since then stays. */
export function useDraft(name: string): readonly [string, (text: string) => void, (sent: string) => void] {
  const key = PREFIX + name;
  const [text, show] = useState(() => sessionStorage.getItem(key) ?? '');
  const set = (now: string) => {
    if (now === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, now);
    show(now);
  };
  const forget = (sent: string) => {
    if (isStill(name, sent)) set('');
  };
  return [text, set, forget];
}

/** Whether nothing else stands there by now. */
export function isStill(name: string, sent: string): boolean {
  return sessionStorage.getItem(PREFIX + name) === sent;
}
