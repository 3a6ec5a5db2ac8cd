/**
 * A reset time as CLIs write it for people: "resets 2pm (Asia/Shanghai)", "try again at Nov 24th, 2026 3:05 PM". Without a zone it is this host's.
 * Pure but for that. A time is said to the minute, and the limit ends somewhere in it, so the answer is the end of that minute. What cannot be
 * read is unknown, and so is a time of tomorrow that names no day, unless it is near: a wrong wait is worse than none.
 */

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time of day that has just passed was meant for a moment ago: the clocks disagree, or it is read late. */
const JUST_PASSED_MS = 5 * MINUTE_MS;

/** One that passed earlier may be meant for tomorrow. */
const MAX_TOMORROW_MS = 12 * HOUR_MS;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const DAY = String.raw`(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}),?)?(?: at)? `;
const TIME = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>[ap])\.?m\b\.?`;
const ZONE = String.raw`(?: ?\((?<zone>[^)]{0,60}))?`;
const SAID = new RegExp(String.raw`\b(?:resets?|try again)(?: at| on)? (?:${DAY})?${TIME}${ZONE}`, 'i');

interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** Answers milliseconds since 1970, or null. It may lie in the past where a day is named. */
export function readResetTime(text: string, now: Date): number | null {
  const said = SAID.exec(text)?.groups;
  if (said === undefined) return null;
  const hour = Number(said['hour']);
  const minute = Number(said['minute'] ?? 0);
  if (hour < 1 || hour > 12 || minute > 59) return null;
  const clock = { hour: (hour % 12) + (said['half']?.toLowerCase() === 'p' ? 12 : 0), minute };
  try {
    const toTime = (wall: Wall) => timeOf(wall, said['zone']) + MINUTE_MS;
    return said['month'] === undefined
      ? undated(clock, { now, zone: said['zone'], toTime })
      : dated(clock, { said, now, toTime });
  } catch {
    // No such zone.
    return null;
  }
}

type Clock = Pick<Wall, 'hour' | 'minute'>;

function undated(
  clock: Clock,
  {
    now,
    zone,
    toTime,
  }: { readonly now: Date; readonly zone: string | undefined; readonly toTime: (wall: Wall) => number },
): number | null {
  const day = wallOf(now, zone);
  const today = toTime({ ...day, ...clock });
  if (today > now.getTime()) return today;
  if (now.getTime() - today < JUST_PASSED_MS) return now.getTime() + MINUTE_MS;
  const tomorrow = toTime({ ...day, day: day.day + 1, ...clock });
  return tomorrow - now.getTime() > MAX_TOMORROW_MS ? null : tomorrow;
}

function dated(
  clock: Clock,
  {
    said,
    now,
    toTime,
  }: {
    readonly said: Readonly<Record<string, string | undefined>>;
    readonly now: Date;
    readonly toTime: (wall: Wall) => number;
  },
): number | null {
  const month = MONTHS.indexOf((said['month'] ?? '').slice(0, 3).toLowerCase());
  const day = Number(said['day']);
  if (month === -1 || day < 1 || day > 31) return null;
  const year = said['year'] === undefined ? now.getUTCFullYear() : Number(said['year']);
  const time = toTime({ year, month, day, ...clock });
  // In December a day of January is one of next year.
  const isPast = said['year'] === undefined && time < now.getTime() - DAY_MS;
  return isPast ? toTime({ year: year + 1, month, day, ...clock }) : time;
}

function timeOf({ year, month, day, hour, minute }: Wall, zone: string | undefined): number {
  if (zone === undefined) return new Date(year, month, day, hour, minute).getTime();
  const guess = Date.UTC(year, month, day, hour, minute);
  const first = guess - offsetAt(guess, zone);
  // Across a change of the clocks the offset of the guess is not that of the answer.
  return guess - offsetAt(first, zone);
}

function offsetAt(time: number, zone: string): number {
  const { year, month, day, hour, minute } = wallOf(new Date(time), zone);
  return Date.UTC(year, month, day, hour, minute) - Math.floor(time / 60_000) * 60_000;
}

/** Errors: RangeError for an unknown zone. */
function wallOf(time: Date, zone: string | undefined): Wall {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...(zone === undefined ? {} : { timeZone: zone }),
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(time);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return { year: of('year'), month: of('month') - 1, day: of('day'), hour: of('hour'), minute: of('minute') };
}
