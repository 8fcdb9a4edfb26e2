import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isMap as isYamlMap, parseDocument, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { variables } from '../../src/config/variables.js';
import { SERVER_INFO } from '../../src/config/version.js';
import { expectAccepted } from '../support/accepted-file.js';
import { chart, isMap, type Values } from '../support/chart/rendered.js';

const text = (file: string): string => readFileSync(path.join(chart, file), 'utf8');
const schema = JSON.parse(text('values.schema.json')) as Schema;
const values = parseDocument(text('values.yaml'));

/** What the chart says itself, or what only the gateway reads. */
const OWNED = [
  ...['HOST', 'PORT', 'ROLE', 'DATA_DIR', 'MIGRATE', 'INTERNAL_PORT', 'INTERNAL_ADDRESS', 'AGENT_API_URL'],
  ...['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'CLUSTER_SECRET', 'TASKFLOW_SERVICE_TOKEN', 'AGENT_ENV'],
  ...['ISOLATION', 'MAX_CONCURRENT_EXECUTIONS', 'EXECUTORS', 'DRAIN_SECS'],
  ...['RUNNER_LIFE', 'RUNNER_IDLE_SECS', 'RUNNER_UNUSED_SECS', 'RUNNER_LABELS', 'CELL_SOCKET'],
  ...['TASKFLOW_API_URL', 'MCP_HOST', 'MCP_PORT'],
];
/** What a Secret holds: files with credentials, and secrets. */
const BY_SECRET = ['CLUSTER_SECRET_PREVIOUS', 'EXECUTORS_FILE', 'FORGES_FILE', 'PRESETS_FILE'];

describe('the schema of values', () => {
  it('knows every setting that is left to the operator', () => {
    const named = structuredClone(schema);
    const free = Object.keys(variables).filter((name) => !OWNED.includes(name) && !BY_SECRET.includes(name));
    named.$defs.settings!.propertyNames = { enum: free };
    named.properties.secretSettings!.propertyNames = { enum: [...BY_SECRET, 'EGRESS_PROXY'] };
    expectAccepted('docker/helm/taskyard/values.schema.json', `${JSON.stringify(named, null, 2)}\n`);
  });

  it('describes what values.yaml has, and nothing else', () => {
    const { global, ...properties } = schema.properties;
    expect(global).toBeDefined(); // Helm hands it to each chart
    expect(namesOf({ properties })).toEqual(leavesOf(values.toJS() as Values).sort());
  });
});

describe('values.yaml', () => {
  it('says of each value what it is', () => {
    expect(silent(values.contents as YAMLMap).filter((name) => name !== 'default')).toEqual([]);
  });

  it('belongs to the version of the server', () => {
    expect(parseDocument(text('Chart.yaml')).toJS()).toMatchObject({
      version: SERVER_INFO.version,
      appVersion: SERVER_INFO.version,
    });
  });
});

interface Schema {
  $ref?: string;
  properties: Record<string, Partial<Schema>>;
  propertyNames?: object;
  $defs: Record<string, Partial<Schema>>;
}

/** Paths of what has no properties of its own. */
function namesOf(part: Partial<Schema>, at: readonly string[] = []): string[] {
  const known = part.$ref ? schema.$defs[part.$ref.split('/').pop()!]! : part;
  const isLeaf = !known.properties || CLOSED.has(at.at(-1) ?? '');
  if (isLeaf) return [at.join('.')];
  return Object.entries(known.properties!)
    .flatMap(([name, inner]) => namesOf(inner, [...at, name]))
    .sort();
}

/** Maps that users fill have no properties in the schema: their defaults are no values of their own. */
function leavesOf(part: unknown, at: readonly string[] = []): string[] {
  const isLeaf = !isMap(part) || Object.keys(part).length === 0 || OPEN.has(at.at(-1) ?? '');
  if (isLeaf) return [at.join('.')];
  return Object.entries(part).flatMap(([name, inner]) => leavesOf(inner, [...at, name]));
}
/** What Kubernetes defines, and what takes any value of another. */
const CLOSED = new Set(['resources', 'serverResources', 'keeper']);
const OPEN = new Set([...CLOSED, 'settings', 'runners']);

/** Keys without a comment before them or behind them; a map's own may stand for it. */
function silent(map: YAMLMap): string[] {
  return map.items.flatMap((item, index) => {
    const { key, value } = item as Pair<Scalar<string>>;
    const before = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined);
    const behind = (value as Scalar | null)?.comment ?? (value as YAMLMap | null)?.commentBefore;
    const inner = isYamlMap(value) && !OPEN.has(key.value) ? silent(value) : [];
    return before || behind ? inner : [key.value, ...inner];
  });
}
