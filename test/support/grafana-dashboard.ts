import { DashboardBuilder, DatasourceVariableBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** Legend → query. Figures that every process tells of the whole cluster are aggregated by max. */
type Queries = Record<string, string>;

interface Panel {
  title: string;
  unit: 'short' | 's' | 'percentunit' | 'bytes' | 'reqps' | 'currencyUSD';
  queries: Queries;
}

const p95 = (metric: string, by = ''): string =>
  `histogram_quantile(0.95, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[$__rate_interval])))`;
const rateOf = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

const rows: Record<string, Panel[]> = {
  Turns: [
    {
      title: 'Live turns',
      unit: 'short',
      queries: { '{{state}}': 'sum by (state) (max by (state, executor) (taskyard_turns))' },
    },
    { title: 'Turns that wait', unit: 'short', queries: { waiting: 'max(taskyard_queue_depth)' } },
    {
      title: 'Turns that wait, by pool',
      unit: 'short',
      queries: {
        '{{pool}} {{executor}} {{reason}}': 'max by (pool, executor, reason) (taskyard_waiting_turns)',
      },
    },
    {
      title: 'Waiting time',
      unit: 's',
      queries: {
        oldest: 'max(taskyard_queue_oldest_age_seconds)',
        'p95 of those taken': p95('taskyard_queue_wait_seconds'),
      },
    },
    {
      title: 'Runners',
      unit: 'short',
      queries: { '{{role}} {{state}}': 'max by (role, state) (taskyard_runners)' },
    },
    { title: 'Places', unit: 'short', queries: { '{{state}}': 'sum by (state) (taskyard_slots)' } },
    {
      title: 'Executions by end',
      unit: 'short',
      queries: {
        '{{executor}} {{status}}':
          'sum by (executor, status) (increase(taskyard_executions_ended_total[$__rate_interval]))',
      },
    },
    {
      title: 'Time of an execution',
      unit: 's',
      queries: { 'p95 {{run_reason}}': p95('taskyard_execution_duration_seconds', 'run_reason') },
    },
    {
      title: 'Tokens of agents',
      unit: 'short',
      queries: {
        '{{executor}} {{kind}}': 'sum by (executor, kind) (increase(taskyard_agent_tokens_total[$__rate_interval]))',
      },
    },
    {
      title: 'Cost of agents',
      unit: 'currencyUSD',
      queries: { '{{executor}}': 'sum by (executor) (increase(taskyard_agent_cost_usd_total[$__rate_interval]))' },
    },
    {
      title: 'Lost turns',
      unit: 'short',
      queries: { lost: 'sum(increase(taskyard_turns_lost_total[$__rate_interval]))' },
    },
    {
      title: 'Checks ended',
      unit: 'short',
      queries: { '{{state}}': 'sum by (state) (increase(taskyard_checks_ended_total[$__rate_interval]))' },
    },
    {
      title: 'Reviews by agents',
      unit: 'short',
      queries: { '{{outcome}}': 'sum by (outcome) (increase(taskyard_reviews_total[$__rate_interval]))' },
    },
    {
      title: 'Continuations',
      unit: 'short',
      queries: {
        '{{cause}} {{state}}': 'sum by (cause, state) (increase(taskyard_continuations_total[$__rate_interval]))',
      },
    },
    {
      title: 'Log entries',
      unit: 'short',
      queries: {
        '{{channel}}': rateOf('taskyard_log_lines_total', 'channel'),
        dropped: 'sum(rate(taskyard_log_dropped_total[$__rate_interval]))',
      },
    },
  ],
  Calls: [
    {
      title: 'Tool calls',
      unit: 'reqps',
      queries: { '{{toolset}} {{tool}}': rateOf('taskyard_tool_calls_total', 'toolset, tool') },
    },
    {
      title: 'Refused tool calls',
      unit: 'reqps',
      queries: { '{{code}}': rateOf('taskyard_tool_calls_total{code!="ok"}', 'code') },
    },
    {
      title: 'Time of a tool call',
      unit: 's',
      queries: { 'p95 {{tool}}': p95('taskyard_tool_call_duration_seconds', 'tool') },
    },
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: { '{{status}}': rateOf('taskyard_http_request_duration_seconds_count', 'status') },
    },
    {
      title: 'Refused credentials',
      unit: 'reqps',
      queries: { refused: 'sum(rate(taskyard_authentication_failures_total[$__rate_interval]))' },
    },
    {
      title: 'Open streams and long polls',
      unit: 'short',
      queries: { '{{instance}}': 'sum by (instance) (taskyard_open_requests)' },
    },
  ],
  Processes: [
    {
      title: 'Database connections',
      unit: 'short',
      queries: { '{{instance}} {{state}}': 'sum by (instance, state) (taskyard_database_connections)' },
    },
    {
      title: 'Processor',
      unit: 'percentunit',
      queries: { '{{instance}}': 'rate(process_cpu_seconds_total{job=~".*taskyard.*"}[$__rate_interval])' },
    },
    {
      title: 'Memory',
      unit: 'bytes',
      queries: { '{{instance}}': 'process_resident_memory_bytes{job=~".*taskyard.*"}' },
    },
    {
      title: 'Event loop, p99',
      unit: 's',
      queries: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job=~".*taskyard.*"}' },
    },
    {
      title: 'Releases',
      unit: 'short',
      queries: { '{{version}} {{role}}': 'sum by (version, role) (taskyard_build_info)' },
    },
  ],
};

/** The dashboard that Grafana imports. */
export function grafanaDashboard(): object {
  const source = { type: 'prometheus', uid: '${datasource}' };
  const dashboard = new DashboardBuilder('Taskyard')
    .uid('taskyard')
    .tags(['taskyard'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const [title, panels] of Object.entries(rows)) {
    dashboard.withRow(new RowBuilder(title));
    for (const panel of panels) dashboard.withPanel(panelOf(panel, source));
  }
  return dashboard.build();
}

function panelOf({ title, unit, queries }: Panel, source: { type: string; uid: string }): PanelBuilder {
  const panel = new PanelBuilder().title(title).unit(unit).datasource(source).height(8).span(12).min(0);
  for (const [legend, expression] of Object.entries(queries))
    panel.withTarget(new DataqueryBuilder().expr(expression).legendFormat(legend).datasource(source));
  return panel;
}

export const expressions = (): string[] =>
  Object.values(rows).flatMap((panels) => panels.flatMap(({ queries }) => Object.values(queries)));
