import { collectDefaultMetrics, register } from 'prom-client';

/** By default it wakes the process a hundred times a second. */
const EVENT_LOOP_SAMPLE_MS = 100;
if (!register.getSingleMetric('process_cpu_user_seconds_total'))
  collectDefaultMetrics({ eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });

/** What this process uses, for Prometheus. */
export const processMetrics = register;
