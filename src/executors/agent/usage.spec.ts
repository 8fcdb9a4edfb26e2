import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AcpUsage } from '../acp/acp-reader.js';
import { isObject, objectOf, type Json } from './json.js';
import { UsageMeter, usageEntry } from './usage.js';

describe('what an execution used', () => {
  it('is unknown where nothing was reported, and each figure by itself', () => {
    const meter = new UsageMeter();
    meter.read([{ type: 'assistant_message', content: 'x' }]);
    expect(meter.total).toBeNull();
    meter.read([usageEntry({ input_tokens: 0, output_tokens: 3 })]);
    meter.read([usageEntry({ input_tokens: 5, output_tokens: 4, cost_usd: 0.25 })]);
    expect(meter.total).toMatchObject({
      input_tokens: 5,
      output_tokens: 7,
      cached_input_tokens: null,
      cost_usd: 0.25,
    });
  });

  it('leaves out what cannot be a figure', () => {
    const meter = new UsageMeter();
    const lies = { input_tokens: -1, output_tokens: 1.5, cached_input_tokens: 1e300, cost_usd: -0.01 };
    meter.read([usageEntry({ input_tokens: 7, output_tokens: 3 }), usageEntry(lies)]);
    meter.read([usageEntry({ input_tokens: '9' as unknown as number, output_tokens: NaN, cost_usd: Infinity })]);
    expect(meter.total).toMatchObject({
      ...{ input_tokens: 7, cached_input_tokens: null, output_tokens: 3, cost_usd: null },
    });
  });

  it('is marked where an agent tells the cost of the whole conversation, as recorded ones do', () => {
    const file = path.join(import.meta.dirname, '../../../test/fixtures/transcripts/acp/acp-claude.jsonl');
    const usage = new AcpUsage();
    const told: number[] = [];
    for (const line of readFileSync(file, 'utf8')
      .split('\n')
      .filter((text) => text.includes('usage_update'))) {
      for (const update of updatesIn(JSON.parse(line.slice(line.indexOf('{'))))) {
        usage.update(update);
        told.push(objectOf(update.cost).amount as number);
      }
    }
    const meter = new UsageMeter();
    meter.read(usage.ended({ usage: { inputTokens: 1, outputTokens: 1 } }));
    expect(told.length).toBeGreaterThan(0);
    expect(meter.total).toMatchObject({ cost_usd: told.at(-1), cost_is_cumulative: true });
  });
});

/** Wherever the recording puts them. */
function updatesIn(value: unknown): Json[] {
  if (!isObject(value)) return [];
  if (value.sessionUpdate === 'usage_update' && isObject(value.cost)) return [value];
  return Object.values(value).flatMap(updatesIn);
}
