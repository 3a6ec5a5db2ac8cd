/** Gives a notice of the browser; nothing where a person has not allowed it. */

import type { Notice } from './notices.js';
import { goTo } from './path.js';

export function mayNotify(): NotificationPermission {
  return 'Notification' in window ? Notification.permission : 'denied';
}

export function notify({ tag, title, runId }: Notice): void {
  if (mayNotify() !== 'granted') return;
  const notice = new Notification(title, { tag });
  notice.onclick = () => {
    window.focus();
    goTo(`/runs/${runId}`);
    notice.close();
  };
}
