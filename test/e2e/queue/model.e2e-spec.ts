import { it } from '@jest/globals';
import fc from 'fast-check';
import { useQueue } from '../../support/queue-ground.js';
import { QueueModel, type Step } from '../../support/queue-model.js';

const ground = useQueue();

const at = (below: number) => fc.nat(below - 1);
const [holder, any] = [at(3), fc.nat(1_000)];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('enqueue'),
      project: at(3),
      executor: fc.constantFrom('SHELL', 'CODEX'),
      labels: fc.subarray(['gpu', 'java']),
      home: fc.option(holder),
      priority: fc.integer({ min: -1, max: 1 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('claim'), holder, count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('claimTogether') }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('claimUnheard'), holder }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('settle'), turn: any }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('giveBack'), turn: any }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('silence', 'vanish', 'leave'), holder }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('return'), holder }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('look') }) },
);

it('counts as its rows do, passes no cap and ends every turn, whatever happens in whatever order', async () => {
  const steps = fc.array(step, { maxLength: 60, size: 'max' });
  const caps = fc.record({ ofProject: fc.nat(2), ofExecutor: fc.constantFrom(null, 1, 3) });
  await fc.assert(
    fc.asyncProperty(steps, caps, async (all, { ofProject, ofExecutor }) => {
      const model = await QueueModel.open(ground, {
        MAX_CONCURRENT_PER_PROJECT: ofProject,
        MAX_CONCURRENT_PER_EXECUTOR: ofExecutor === null ? {} : { SHELL: ofExecutor },
      });
      for (const one of all) {
        await model.take(one);
        await model.expectAgreement();
      }
      await model.drain();
    }),
    { numRuns: 30 },
  );
});
