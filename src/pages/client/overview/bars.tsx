interface BarsProps {
  title: string;
  words: (value: number) => string;
  /** Value of a full bar; otherwise the largest is full. */
  top?: number;
  /** Days as `2026-11-22`; null if nothing is known. */
  days: (readonly [day: string, value: number | null])[];
}

const WIDTH = 20;
const HEIGHT = 64;

/** One bar a day, with its number as text for screen readers. */
export function Bars({ title, words, top, days }: BarsProps) {
  const values = days.map(([, value]) => value ?? 0);
  const most = Math.max(...values);
  const known = days.filter(([, value]) => value);
  const told = known.map(([day, value]) => `${day}: ${words(value!)}`).join(', ') || 'nothing yet';
  return (
    <figure class="card bars">
      <figcaption>
        {title} <span class="quiet">{most > 0 ? `up to ${words(most)}` : 'nothing yet'}</span>
      </figcaption>
      <svg role="img" aria-label={`${title} a day. ${told}`} viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT + 16}`}>
        <line x1="0" x2={days.length * WIDTH} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
        {days.map(([day, value], index) => {
          const height = most > 0 ? ((value ?? 0) / (top ?? most)) * (HEIGHT - 4) : 0;
          return (
            <rect key={day} x={index * WIDTH + 3} y={HEIGHT - height} width={WIDTH - 6} height={height} rx="2">
              <title>{`${day}: ${words(value ?? 0)}`}</title>
            </rect>
          );
        })}
        <text x="0" y={HEIGHT + 13}>
          {dayOf(days[0]![0])}
        </text>
        <text x={days.length * WIDTH} y={HEIGHT + 13} text-anchor="end">
          {dayOf(days.at(-1)![0])}
        </text>
      </svg>
    </figure>
  );
}

const dayOf = (day: string) =>
  new Date(day).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
