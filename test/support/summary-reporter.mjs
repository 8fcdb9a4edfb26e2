// Loaded by Jest outside its module mapping: plain JavaScript.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const MOST_SLOW_FILES = 10;

/** Ends a run with what took longest, and where TOTALS_FILE names a file, writes its totals there in one line. */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    process.stderr.write(slowest(results.testResults).join('\n'));
    if (process.env.TOTALS_FILE) writeFileSync(process.env.TOTALS_FILE, `${totals(results)}\n`);
  }
}

function slowest(files) {
  const ran = files.filter(({ perfStats }) => perfStats.end > perfStats.start);
  if (ran.length < 2) return [];
  const slow = ran.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, MOST_SLOW_FILES);
  const lines = slow.map((file) => `${secondsOf(file).toFixed(1).padStart(7)} s  ${nameOf(file)}`);
  return ['', 'Slowest files:', ...lines, ''];
}

function totals({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const failed = numFailedTests + testResults.filter(isFailedBesideItsTests).length;
  return `${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped`;
}

/** It could not run, or failed once its tests were over: counted as one. */
const isFailedBesideItsTests = ({ failureMessage, numFailingTests }) => failureMessage != null && numFailingTests === 0;

const secondsOf = ({ perfStats: { start, end } }) => (end - start) / 1_000;
const nameOf = ({ testFilePath }) => path.relative(process.cwd(), testFilePath);
