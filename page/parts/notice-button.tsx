/** Asks once whether the browser may give notices. */
import { useState } from 'preact/hooks';
import { mayNotify } from '../state/notify.js';

export function NoticeButton() {
  const [permission, show] = useState(mayNotify);
  if (permission !== 'default') return null;
  return (
    <button type="button" onClick={() => void Notification.requestPermission().then(show)}>
      Notify me
    </button>
  );
}
