interface BarsProps {
  title: string;
  unit: string;
  days: { label: string; value: number }[];
}

const WIDTH = 44;
const HEIGHT = 120;

/** One bar a day, with its number in words for who does not see it. */
export function Bars({ title, unit, days }: BarsProps) {
  const most = Math.max(1, ...days.map(({ value }) => value));
  return (
    <figure class="bars">
      <figcaption>{title}</figcaption>
      <div class="wide">
        <svg
          role="img"
          aria-label={`${title}: ${days.map(({ label, value }) => `${label} ${value} ${unit}`).join(', ')}`}
          viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT + 40}`}
        >
          {days.map(({ label, value }, index) => {
            const height = (value / most) * HEIGHT;
            const x = index * WIDTH;
            return (
              <g key={label}>
                <rect x={x + 6} y={HEIGHT + 18 - height} width={WIDTH - 12} height={height} rx="3" />
                <text x={x + WIDTH / 2} y={HEIGHT + 12 - height} text-anchor="middle">
                  {value || ''}
                </text>
                <text class="day" x={x + WIDTH / 2} y={HEIGHT + 34} text-anchor="middle">
                  {label}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
    </figure>
  );
}
