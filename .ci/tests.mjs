// `node .ci/tests.mjs FILE` runs the whole suite and writes its totals to the file. Test files that failed, if they are
// few, have one more try when nothing else runs beside them: what starved on a busy machine passes then and is named,
// what is broken stays red. Attacks have one try: what gets through once has got through.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MOST_TRIED_AGAIN = 5;
const FAILED = 'failed';

function run() {
  const first = jest('first');
  const failed = first.testResults.filter(({ status }) => status === FAILED).map(({ name }) => name);
  if (failed.length === 0) return { runs: [first], exitCode: first.success ? 0 : 1 };
  if (failed.length > MOST_TRIED_AGAIN || failed.some(isAttack)) return { runs: [first], exitCode: 1 };
  const second = jest('second', ['--runTestsByPath', ...failed]);
  const others = first.testResults.filter(({ status }) => status !== FAILED);
  return { runs: [{ testResults: others }, second], again: failed, exitCode: second.success ? 0 : 1 };
}

/** @returns Jest's own results. @throws if it could not run */
function jest(name, options = []) {
  const file = path.join(results, `${name}.json`);
  const args = ['test', '--', '--ci', '--json', `--outputFile=${file}`, ...options];
  spawnSync('npm', args, { stdio: 'inherit' });
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The totals, and before them what passed only on another try; a file that failed beside its tests counts as one. */
function told(files, again) {
  const tests = files.flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ name, ...test })));
  const retried = [
    ...tests.filter(isSecondTry).map(({ name, fullName }) => `${nameOf(name)}: ${fullName}`),
    ...files.filter(({ name, status }) => again.includes(name) && status !== FAILED).map(({ name }) => nameOf(name)),
  ];
  const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
  const failed = count(FAILED) + files.filter(isFailedBesideItsTests).length;
  const skipped = count('pending', 'todo');
  return [
    ...(retried.length ? [`retried: ${retried.length}`, ...retried.map((line) => `  ${line}`)] : []),
    `${count('passed')} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
    '',
  ].join('\n');
}

const isAttack = (name) => nameOf(name).startsWith('test/attacks/');
const isSecondTry = ({ status, invocations }) => status === 'passed' && invocations > 1;
const isFailedBesideItsTests = ({ status, assertionResults }) =>
  status === FAILED && !assertionResults.some((test) => test.status === FAILED);
const nameOf = (name) => path.relative('.', name);

const [totals] = process.argv.slice(2);
const results = mkdtempSync(path.join(tmpdir(), 'taskyard-ci-'));
try {
  const { runs, again = [], exitCode } = run();
  writeFileSync(
    totals,
    told(
      runs.flatMap(({ testResults }) => testResults),
      again,
    ),
  );
  process.exitCode = exitCode;
} finally {
  rmSync(results, { recursive: true, force: true });
}
