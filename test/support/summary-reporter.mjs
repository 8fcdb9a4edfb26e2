// Loaded by Jest outside its module mapping: plain JavaScript.
import path from 'node:path';

const MOST_SLOW_FILES = 10;

/** Ends a run with what its totals hide: the files that took longest, and the tests that passed only on a second
 *  try. */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const lines = [...slowest(results.testResults), ...retried(results.testResults)];
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  }
}

function slowest(files) {
  const ran = files.filter(({ perfStats }) => perfStats.end > perfStats.start);
  if (ran.length < 2) return [];
  const slow = ran.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, MOST_SLOW_FILES);
  return ['', 'Slowest files:', ...slow.map((file) => `${secondsOf(file).toFixed(1).padStart(7)} s  ${nameOf(file)}`)];
}

function retried(files) {
  const names = files.flatMap((file) =>
    file.testResults
      .filter(({ status, invocations }) => status === 'passed' && invocations > 1)
      .map(({ fullName }) => `  ${nameOf(file)}: ${fullName}`),
  );
  return names.length === 0 ? [] : ['', `Passed only on a second try: ${names.length}`, ...names];
}

const secondsOf = ({ perfStats: { start, end } }) => (end - start) / 1_000;
const nameOf = ({ testFilePath }) => path.relative(process.cwd(), testFilePath);
