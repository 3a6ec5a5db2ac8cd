/** Gives a notice of the browser; nothing where a person has not allowed it. */

import type { Notice } from './notices.js';
import { goTo } from './path.js';

/** A browser may allow notices and refuse each: Chrome on Android gives them to service workers alone. */
let isRefused = false;

export function mayNotify(): NotificationPermission {
  return 'Notification' in window && !isRefused ? Notification.permission : 'denied';
}

export function notify({ tag, title, runId }: Notice): void {
  if (mayNotify() !== 'granted') return;
  const notice = noticeWith(title, tag);
  if (notice === null) return;
  notice.onclick = () => {
    window.focus();
    goTo(`/runs/${runId}`);
    notice.close();
  };
}

function noticeWith(title: string, tag: string): Notification | null {
  try {
    return new Notification(title, { tag });
  } catch {
    isRefused = true;
    return null;
  }
}
