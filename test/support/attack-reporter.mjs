// Loaded by Jest outside its module mapping: plain JavaScript.

const FOLDER = '/test/attacks/';
const WIDTH = 88;

/** Ends a run with the table of its attacks. A family of attacks is one row. */
export default class AttackReporter {
  onRunComplete(_contexts, { testResults }) {
    const attacks = testResults
      .filter(({ testFilePath }) => testFilePath.includes(FOLDER))
      .flatMap((file) => [...file.testResults, ...(file.testExecError ? [brokenFile(file)] : [])]);
    if (attacks.length > 0) process.stdout.write(`${tableOf(attacks).join('\n')}\n`);
  }
}

/** A file that failed outside its tests: it could not run, or its server did not survive. */
const brokenFile = ({ testFilePath }) => ({
  ancestorTitles: [testFilePath.slice(testFilePath.indexOf(FOLDER) + FOLDER.length)],
  title: 'ran to its end',
  status: 'failed',
});

function tableOf(attacks) {
  const families = new Map();
  for (const attack of attacks) families.set(rowOf(attack), [...(families.get(rowOf(attack)) ?? []), attack]);
  const rows = [...families].toSorted(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1));
  const count = (status) => attacks.filter((attack) => resultOf(attack) === status).length;
  return [
    '',
    `Attacks${' '.repeat(WIDTH - 7)}  count  result`,
    ...rows.flatMap(([row, tried]) => [lineOf(row, tried), ...namesOf(row, tried)]),
    '',
    `${attacks.length} attacks: ${count('held')} held, ${count('GOT THROUGH')} got through, ` +
      `${count('skipped')} skipped`,
  ];
}

/** `S4: a family`, or the attack by itself where its `describe` names only the finding. */
function rowOf({ ancestorTitles, title }) {
  const place = ancestorTitles.at(-1);
  return place.includes(': ') ? place : `${place}: ${title}`;
}
const order = (row) => Number(/^S(\d+)/.exec(row)?.[1] ?? 99);

function lineOf(row, tried) {
  const results = new Set(tried.map(resultOf));
  const worst = ['GOT THROUGH', 'skipped', 'held'].find((result) => results.has(result));
  return `${row.padEnd(WIDTH)}  ${String(tried.length).padStart(5)}  ${worst}`;
}

/** The members of a family that were not held. */
const namesOf = (row, tried) =>
  tried
    .filter((attack) => resultOf(attack) !== 'held' && !row.endsWith(attack.title))
    .map((attack) => `    ${resultOf(attack)}: ${attack.title}`);

const resultOf = ({ status }) => ({ passed: 'held', failed: 'GOT THROUGH' })[status] ?? 'skipped';
