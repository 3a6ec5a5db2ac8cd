/** Times as a person at this machine reads them: local, to the second. JSON, pipes and files keep ISO 8601 in UTC. Pure. */

/** `2026-11-26 15:30:12`; a text that is no time stays as it is. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day} ${clockOf(iso)}`;
}

/** `15:30:12`. */
export function clockOf(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '--:--:--';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

const MINUTE_MS = 60_000;

/** `now`, `3 min`, `2 h`, `5 d`: how long ago. A clock that was set back makes nothing younger than now. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (Number.isNaN(minutes) || minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
