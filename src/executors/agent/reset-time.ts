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
const AMOUNT = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b`;
const DURATION = new RegExp(String.raw`\b(?:in|after)\b[\s:]*(${AMOUNT}(?:[\s,]*(?:and\s+)?${AMOUNT})*)`, 'i');
const RETRY_AFTER = /retry[-_ ]?after["'\s:=]+(\d+(?:\.\d+)?)\b(?!\s*(?:ms|m|h|d))/i;
const WHEN = /\b(?:resets?|reset at|renews?|available|again|until)\b[\s:]*(?:(?:on|at)\s+)*/.source;
const DATE = String.raw`(?:(?<month>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?<year>\d{4}))?,?\s+(?:at\s+)?)?`;
const TIME = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?!\d)(?:\s*(?<half>[ap])\.?m\b\.?)?`;
const ZONE = String.raw`(?:\s*\(?(?<zone>[A-Za-z]+(?:\/[A-Za-z_+\-0-9]+)+|UTC|GMT|Z)\b\)?)?`;
const WALL_CLOCK = new RegExp(
  String.raw`${WHEN}(?:(?<weekday>(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*),?\s+(?:at\s+)?)?${DATE}${TIME}${ZONE}`,
  'i',
);

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

/** The next such time: of today, else of tomorrow, the named weekday or the named date. */
function wallClockIn(text: string, now: number): number | null {
  const { hour, minute = '0', half, month, day, year, weekday, zone } = WALL_CLOCK.exec(text)?.groups ?? {};
  if (hour === undefined || (half === undefined && !/:/.test(text)) || Number(hour) > 23 || Number(minute) > 59)
    return null;
  const where = knownZone(zone);
  const today = new Date(now + offsetOf(where, now));
  const at = [half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0), Number(minute)];
  const [h, m] = at as [number, number];
  if (month !== undefined) {
    const months = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
    if (months < 0) return null;
    const named = (y: number) => instantOf(where, Date.UTC(y, months, Number(day), h, m));
    const this_year = named(Number(year ?? today.getUTCFullYear()));
    return year === undefined && this_year < now - DAY ? named(today.getUTCFullYear() + 1) : this_year;
  }
  const wanted = weekday === undefined ? null : WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase());
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    const wall = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + ahead, h, m);
    const isThatDay = wanted === null || new Date(wall).getUTCDay() === wanted;
    const time = instantOf(where, wall);
    if (isThatDay && time > now) return time;
  }
  return null;
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
