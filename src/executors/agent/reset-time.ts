/** When a limit is lifted, as agents and model servers put it in words. */

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
/** What is further away is no reset. */
const FURTHEST = 32 * DAY;

const UNITS: Record<string, number> = { ms: 1, s: SECOND, m: 60 * SECOND, h: 3_600 * SECOND, d: DAY };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const EPOCH = /(?<![\d.])(\d{10})(\d{3})?(?![\d.])/g;
const ISO = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?/;
const HOURS = 'd(?:ays?)?|h(?:(?:ou)?rs?)?';
const SECONDS = 'm(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?|ms|milliseconds?';
const AMOUNT = String.raw`\d+(?:\.\d+)?\s*(?:${HOURS}|${SECONDS})\b`;
const DURATION = new RegExp(String.raw`\b(?:in|after)\b[\s:]*(${AMOUNT}(?:[\s,]*(?:and\s+)?${AMOUNT})*)`, 'i');
const RETRY_AFTER = /retry[-_ ]?after["'\s:=]+(\d+(?:\.\d+)?)\b(?!\s*(?:ms|m|h|d))/i;
const WHEN = String.raw`\b(?:resets?|reset at|renews?|available|again|until)\b[\s:]*(?:(?:on|at)\s+)*`;
const WEEKDAY = String.raw`(?:(?<weekday>(?:${WEEKDAYS.join('|')})[a-z]*),?\s+(?:at\s+)?)?`;
const DAY_OF_MONTH = String.raw`(?<month>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const DATE = String.raw`(?:${DAY_OF_MONTH}(?:,?\s+(?<year>\d{4}))?,?\s+(?:at\s+)?)?`;
const TIME = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?!\d)(?:\s*(?<half>[ap])\.?m\b\.?)?`;
const ZONE = String.raw`(?:\s*\(?(?<zone>[A-Za-z]+(?:\/[A-Za-z_+\-0-9]+)+|UTC|GMT|Z)\b\)?)?`;
const WALL_CLOCK = new RegExp(WHEN + WEEKDAY + DATE + TIME + ZONE, 'i');

/** @param now epoch in milliseconds @returns the same; null where the text names no time */
export function resetTime(text: string, now: number): number | null {
  const found = epochIn(text, now) ?? isoIn(text) ?? durationIn(text, now) ?? wallClockIn(text, now);
  return found !== null && found - now < FURTHEST ? found : null;
}

/** Ids may look like it, times near now alone are meant. */
function epochIn(text: string, now: number): number | null {
  const times = [...text.matchAll(EPOCH)].map(([, seconds, rest = '000']) => Number(`${seconds}${rest}`));
  return times.find((time) => Math.abs(time - now) < FURTHEST) ?? null;
}

function isoIn(text: string): number | null {
  const [, date, time, zone = 'Z'] = ISO.exec(text) ?? [];
  if (date === undefined) return null;
  const parsed = Date.parse(`${date}T${time}${/^(UTC|GMT)$/.test(zone) ? 'Z' : zone}`);
  return Number.isNaN(parsed) ? null : parsed;
}

function durationIn(text: string, now: number): number | null {
  const [, seconds] = RETRY_AFTER.exec(text) ?? [];
  if (seconds !== undefined) return now + Number(seconds) * SECOND;
  const [, amounts] = DURATION.exec(text) ?? [];
  if (amounts === undefined) return null;
  const parts = [...amounts.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[dhms])/gi)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitOf(unit!), now);
}

const unitOf = (unit: string): number => UNITS[/^(ms|milli)$/i.test(unit) ? 'ms' : unit.toLowerCase()]!;

interface Wall {
  hour: number;
  minute: number;
  zone: string | undefined;
}

function wallClockIn(text: string, now: number): number | null {
  const { hour, minute, half, month, day, year, weekday, zone } = WALL_CLOCK.exec(text)?.groups ?? {};
  if (hour === undefined || (half === undefined && minute === undefined)) return null;
  const of_day = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const wall: Wall = { hour: of_day, minute: Number(minute ?? 0), zone: knownZone(zone) };
  if (wall.hour > 23 || wall.minute > 59) return null;
  return month === undefined ? nextTime(wall, weekday, now) : onDate(wall, { month, day: day!, year }, now);
}

/** Of today, else of tomorrow or of the named weekday. */
function nextTime({ hour, minute, zone }: Wall, weekday: string | undefined, now: number): number | null {
  const today = new Date(now + offsetOf(zone, now));
  const wanted = weekday === undefined ? null : WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase());
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    const wall = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + ahead, hour, minute);
    const time = instantOf(zone, wall);
    if (time > now && (wanted === null || new Date(wall).getUTCDay() === wanted)) return time;
  }
  return null;
}

/** Without a year the next such date. */
function onDate({ hour, minute, zone }: Wall, date: { month: string; day: string; year?: string }, now: number) {
  const month = MONTHS.indexOf(date.month.slice(0, 3).toLowerCase());
  if (month < 0) return null;
  const of = (year: number) => instantOf(zone, Date.UTC(year, month, Number(date.day), hour, minute));
  const year = new Date(now).getUTCFullYear();
  if (date.year !== undefined) return of(Number(date.year));
  return of(year) < now - DAY ? of(year + 1) : of(year);
}

/** undefined is the zone of this machine, in which its agents tell times. */
function knownZone(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone === 'Z' ? 'UTC' : zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetOf(timeZone: string | undefined, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)!.value);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(at / SECOND) * SECOND;
}

/** When the clocks of a zone show a time; where they show it twice, the first. */
function instantOf(timeZone: string | undefined, wall: number): number {
  const guess = wall - offsetOf(timeZone, wall);
  return wall - offsetOf(timeZone, guess);
}
