import { isSteady } from './statistics.mjs';

/** Runs short slices of every contender in turn, the first being the floor, until their ratios to it are steady.
 *  @param contenders name → function that runs one slice and answers its figures
 *  @param figure name of the figure that must be steady
 *  @param warmUp rounds before the first that counts: V8 goes on compiling for some 4 000 calls
 *  @returns name → figures of every slice, in the same order for each */
export async function interleave(contenders, { figure, min = 16, max = 40, warmUp = 20 }) {
  const names = Object.keys(contenders);
  for (let round = 0; round < warmUp; round += 1) for (const name of names) await contenders[name]();
  const slices = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < max && !(round >= min && ratios(slices, figure).every(isSteady)); round += 1) {
    const order = round % 2 ? [...names].reverse() : names;
    for (const name of order) slices[name].push(await contenders[name]());
  }
  return slices;
}

function ratios(slices, figure) {
  const [floor, ...others] = Object.values(slices);
  return others.map((runs) => runs.map((run, index) => run[figure] / floor[index][figure]));
}
