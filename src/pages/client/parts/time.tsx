import { useEffect, useState } from 'preact/hooks';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** "3 min. ago"; below a minute "now". @param now epoch in milliseconds */
function relative(at: string, now = Date.now()): string {
  const secs = Math.round((Date.parse(at) - now) / 1_000);
  for (const [unit, size] of UNITS) if (Math.abs(secs) >= size) return words.format(Math.trunc(secs / size), unit);
  return 'now';
}

/** Relative, with the absolute in its title. */
export function Time({ at }: { at: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relative(at)}
    </time>
  );
}

/** "1 h 4 min", "12 s", "80 ms". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const secs = Math.round(ms / 1_000);
  if (secs < 60) return `${secs} s`;
  if (secs < 3_600) return `${Math.floor(secs / 60)} min ${secs % 60} s`;
  return `${Math.floor(secs / 3_600)} h ${Math.floor((secs % 3_600) / 60)} min`;
}
