import { useTitle } from '../parts/title.js';

export function ThroughputPage() {
  useTitle('Throughput');
  return <h1>Throughput</h1>;
}
