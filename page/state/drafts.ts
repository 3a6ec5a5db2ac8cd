/** What somebody typed and has not sent, kept over updates, reloads and a server that was started again, in this tab. */
import { useState } from 'preact/hooks';

const PREFIX = 'sluice.draft.';

/** The text of that name, and how it is set; `''` takes it away. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = PREFIX + name;
  const [text, show] = useState(() => sessionStorage.getItem(key) ?? '');
  const set = (now: string) => {
    if (now === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, now);
    show(now);
  };
  return [text, set];
}
