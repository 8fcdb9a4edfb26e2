import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectAccepted } from '../../support/accepted-file.js';
import { Board } from '../../support/board-fixture.js';
import { colibriMistakes } from '../../support/mistakes/colibri.js';
import { kanbanIds } from '../../support/mistakes/kanban-ids.js';
import { kanbanStates } from '../../support/mistakes/kanban-states.js';
import { kanbanValues } from '../../support/mistakes/kanban-values.js';
import { MechanicalReader } from '../../support/mistakes/mechanical-reader.js';
import { type Ended, mean, meanTokens, MOST_TOKENS, mistakesPage, share } from '../../support/mistakes/figures.js';
import { taskflowMistakes } from '../../support/mistakes/taskflow.js';
import { World } from '../../support/mistakes/world.js';

const tables = {
  kanban: [...kanbanIds, ...kanbanValues, ...kanbanStates],
  taskflow: taskflowMistakes,
  colibri: colibriMistakes,
} as const;
type Dialect = keyof typeof tables;

/** What nobody may consent to in the place of the caller. */
const CONSENT =
  /^(allow_failed|overwrite|override|expected_head|expected_content|checked_out|force|include_untrusted)$/;
const MOST = 3;

describe('a mechanical reader that follows next to the letter', () => {
  const board = Board.use();
  const ended: Ended[] = [];
  let world: World;
  beforeAll(async () => {
    world = await World.of(board);
  });

  describe.each(Object.entries(tables))('in %s', (dialect, rows) => {
    let reader: MechanicalReader;
    beforeAll(async () => {
      reader = await MechanicalReader.of(board[dialect as Dialect], world.meant);
    });

    it.each(rows)('mends %s', async (_, mistake) => {
      const { person, ...wrong } = await mistake(world);
      if (person) return expect(await reader.hint(wrong)).toMatch(person);
      const { more, nexts, tokens, steps } = await reader.repair(wrong);
      ended.push({ dialect, more, tokens });
      if (more > MOST) throw new Error(steps.join('\n'));
      expect(nexts.flatMap((next) => Object.keys(next.arguments)).filter((name) => CONSENT.test(name))).toEqual([]);
    });
  });

  it('needs few calls more, as accepted', () => {
    expect(ended.length).toBeGreaterThanOrEqual(120);
    expect(share(ended, 2)).toBeGreaterThanOrEqual(0.95);
    expect(share(ended, MOST)).toBe(1);
    expect(mean(ended)).toBeLessThanOrEqual(1);
    console.warn(mistakesPage(ended));
    expectAccepted('docs/reference/mistakes.md', mistakesPage(ended));
  });

  it('reads short refusals', () => {
    const tokensIn = (dialect: string) => meanTokens(ended.filter((one) => one.dialect === dialect));
    for (const dialect of Object.keys(tables))
      console.warn(`${dialect}: ${tokensIn(dialect).toFixed(1)} tokens a refusal that names the next call`);
    expect(tokensIn('kanban')).toBeLessThanOrEqual(MOST_TOKENS);
  });
});
