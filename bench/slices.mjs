import { format } from './figures.mjs';
import { median, medianRatio } from './measure/statistics.mjs';

/** What slices run in turn tell of each contender: medians as text, and how many times those of another. */
export function tell(slices) {
  const of = (name, figure) => slices[name].map((slice) => slice[figure]);
  const told = (figure, unit) => (name) => `${format(median(of(name, figure)))}${unit}`;
  return {
    p50: told('latencyMs', ' ms'),
    cpu: told('cpuUs', ' µs'),
    rate: told('perSecond', '/s'),
    medianOf: (name, figure) => median(of(name, figure)),
    times: (name, floor, figure = 'latencyMs') => medianRatio(of(name, figure), of(floor, figure)),
  };
}
